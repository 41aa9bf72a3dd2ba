import type { Application } from '../../app/application.ts';

/** What people call an automation; its code where they may not know it. */
export function automationName({ automations }: Application, automationCode: string): string {
  return automations.find(({ code }) => code === automationCode)?.name ?? automationCode;
}
