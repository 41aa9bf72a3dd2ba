import { stepsOf, type AutomationContent, type HttpStep } from './automation-content.ts';
import type { ResourceContent, ResourceType } from './content.ts';

/** The values of an environment's secrets: `EnvironmentSecrets.open`. */
export interface Secrets {
  open(environment: string, names: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** What a secret of an environment may be called. */
export const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

const REFERENCE = /\{\{secret:([^{}]*)\}\}/g;

/** The secrets that a text names by `{{secret:NAME}}`. */
export function secretsIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(([, name]) => name as string);
}

/** Where a data source may name secrets. */
interface Carrier {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** The types of resources that may name secrets. */
export const SECRET_CARRIERS = ['DATASOURCE', 'AUTOMATION'] as const satisfies readonly ResourceType[];

/** The secrets that a resource cannot work without, each once: those of headers and parameters that go to other services. */
export function secretsOf(resourceType: ResourceType, content: ResourceContent): string[] {
  if (resourceType === 'AUTOMATION') {
    const { steps } = content as AutomationContent;
    return [...new Set([...stepsOf(steps)].flatMap(({ step }) => (step.type === 'http' ? secretsOfStep(step) : [])))];
  }
  if (resourceType !== 'DATASOURCE') return [];
  const { headers = {}, query = {} } = content as Carrier;
  return [...new Set([...Object.values(headers), ...Object.values(query)].flatMap(secretsIn))];
}

/** The secrets that the headers of a step name, each once. */
export function secretsOfStep({ headers = {} }: HttpStep): string[] {
  return [...new Set(Object.values(headers).flatMap(secretsIn))];
}

/** The text with the values of its secrets, all of which must be there. */
export function withSecrets(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(REFERENCE, (_whole, name: string) => values.get(name) as string);
}

/** What is wrong with the references in a text; null when nothing is. */
export function problemOfReferences(text: string): string | null {
  const wrong = secretsIn(text).find((name) => !SECRET_NAME.test(name));
  if (wrong !== undefined) return `names the secret ${wrong}, which no secret can be called`;
  return text.replace(REFERENCE, '').includes('{{') ? 'holds {{ that is not {{secret:NAME}}' : null;
}
