import tseslint from 'typescript-eslint';

/** A file that imports very many others is a list of everything, which each change has to touch. */
const maxImports = {
  create(context) {
    const [max] = context.options;
    return {
      Program(program) {
        const imports = program.body.filter(({ source }) => source);
        if (imports.length <= max) return;
        context.report({
          node: imports[max],
          message: `This file imports ${imports.length} others, more than ${max}.`,
        });
      },
    };
  },
  meta: { schema: [{ type: 'integer' }] },
};

/** Lint rules: what the type checker cannot see. Style is Prettier's. */
export default tseslint.config(
  { ignores: ['node_modules/', 'coverage/'] },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { keelson: { rules: { 'max-imports': maxImports } } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/require-await': 'off',
      // Handlers may be async: Express 5 passes their rejections on.
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { arguments: false, properties: false } },
      ],
      '@typescript-eslint/only-throw-error': 'off',
      'max-lines': ['error', 300],
      'keelson/max-imports': ['error', 40],
      eqeqeq: 'error',
      'no-console': 'off',
    },
  },
  {
    files: ['{src,workflows,activities,scripts,cli,bench,demo}/**/*.ts'],
    rules: { 'max-lines-per-function': ['error', 60] },
  },
  {
    files: ['src/**/*.ts', 'activities/**/*.ts'],
    ignores: ['src/main.ts'],
    rules: { 'no-console': 'error' },
  },
  {
    files: ['src/**/*.ts', 'workflows/**/*.ts', 'activities/**/*.ts'],
    ignores: ['src/foundation/config/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only src/foundation/config reads the environment.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      // A file of tests is one list of sentences: longer than code may be.
      'max-lines': ['warn', 400],
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
);
