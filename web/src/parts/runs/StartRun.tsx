import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Application, Field } from '../../app/application.ts';
import { ask } from '../../app/ask.ts';
import { queries } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Labelled } from '../../ui/Labelled.tsx';
import { Select } from '../../ui/Select.tsx';
import { ActionDialog } from '../actions/ActionDialog.tsx';
import { isKnownLater } from '../commands/command-fields.ts';
import { FieldOfCommand } from '../commands/FieldOfCommand.tsx';
import { newKey } from '../commands/run-command.ts';
import { RUNS } from './runs-query.ts';
import styles from './StartRun.module.css';

type Automation = Application['automations'][number];

interface StartRunProps {
  readonly application: Application;
  /** The code of the automation that the reader looks at. */
  readonly suggested?: string | undefined;
}

/** Starts a run of an automation by hand, and shows it. Nothing where the caller may run none. */
export function StartRun({ application: { automations }, suggested }: StartRunProps) {
  const [isOpen, setOpen] = useState(false);
  const first = automations.find(({ code }) => code === suggested) ?? automations[0];
  if (!first) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('Start a run')}</Button>
      {isOpen && <StartRunDialog automations={automations} first={first} onClose={() => setOpen(false)} />}
    </>
  );
}

interface StartRunDialogProps {
  readonly automations: readonly Automation[];
  readonly first: Automation;
  readonly onClose: () => void;
}

function StartRunDialog({ automations, first, onClose }: StartRunDialogProps) {
  const navigate = useNavigate();
  const [automation, setAutomation] = useState(first);
  const [input, setInput] = useState<Readonly<Record<string, unknown>>>({});
  // The same for repeats of the same intention.
  const key = useRef(newKey());
  const { code, fields } = automation;

  function choose(next: string) {
    key.current = newKey();
    setAutomation(automations.find((one) => one.code === next) ?? first);
    setInput({});
  }

  function change(name: string, value: unknown) {
    key.current = newKey();
    setInput((before) => ({ ...before, [name]: value }));
  }

  async function start() {
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
    const { runPid } = await ask('POST /api/automations/{code}/runs', {
      params: { code },
      body: { input: given },
      idempotencyKey: key.current,
    });
    void queries.invalidateQueries({ queryKey: RUNS });
    onClose();
    await navigate({ to: '/operate/runs/$runPid', params: { runPid } });
  }

  return (
    <ActionDialog title={t('Start a run')} action={t('Start')} size="wide" onAct={start} onClose={onClose}>
      {(problems) => (
        <>
          <Labelled label={t('Automation')}>
            {(ties) => (
              <Select
                {...ties}
                value={code}
                options={automations.map((one) => [one.code, one.name])}
                onChoose={choose}
              />
            )}
          </Labelled>
          <div className={styles.fields}>
            {fields.map((field) => (
              <FieldOfCommand
                key={`${code} ${field.code}`}
                field={field}
                value={field.code in input ? input[field.code] : initialOf(field)}
                onChange={(value) => change(field.code, value)}
                pageKey=""
                declaredBy={{ kind: 'automation', code }}
                record={null}
                problems={problems}
              />
            ))}
          </div>
        </>
      )}
    </ActionDialog>
  );
}

/** What the service takes where nothing is given, as far as it is known before. */
function initialOf({ default: initial = null }: Field): unknown {
  return isKnownLater(initial) ? null : initial;
}
