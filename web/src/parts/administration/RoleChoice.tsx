import { useQuery } from '@tanstack/react-query';
import { t } from '../../app/texts.ts';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { rolesQuery } from './administration-query.ts';
import styles from './RoleChoice.module.css';

interface RoleChoiceProps {
  readonly label: string;
  readonly value: readonly string[];
  readonly onChange: (roles: readonly string[]) => void;
}

/** Some of the roles; those that the caller may not grant stay as they are. */
export function RoleChoice({ label, value, onChange }: RoleChoiceProps) {
  const { data: roles } = useQuery(rolesQuery);
  if (!roles) return <Skeleton width={50} />;
  return (
    <fieldset className={styles.roles}>
      <legend>{label}</legend>
      {roles.map(({ code, name, grantable, codes }) => (
        <label key={code} title={grantable ? codes.join('\n') : t('You may not grant this role')}>
          <input
            type="checkbox"
            checked={value.includes(code)}
            disabled={!grantable}
            onChange={({ target }) =>
              onChange(target.checked ? [...value, code] : value.filter((role) => role !== code))
            }
          />
          <span>{name}</span>
          {name !== code && <code>{code}</code>}
        </label>
      ))}
    </fieldset>
  );
}
