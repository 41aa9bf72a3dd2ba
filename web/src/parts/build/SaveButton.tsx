import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../app/ask.ts';
import { shown, type ShownError } from '../../app/errors.ts';
import { say } from '../../app/notices.ts';
import { applicationQuery } from '../../app/queries.ts';
import { plural } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { RESOURCES } from './build-query.ts';
import { nameOf, useDrafts } from './drafts.ts';
import styles from './SaveButton.module.css';
import { readDraft, type DraftPlan } from './use-plan.ts';

interface SaveButtonProps {
  readonly planned: DraftPlan;
  readonly isSound: boolean;
  /** Names of what may get out of reach. */
  readonly agreed: ReadonlySet<string>;
}

/** Saves the drafts that are planned: all or none. */
export function SaveButton({ planned: { plan, sent }, isSound, agreed }: SaveButtonProps) {
  const cache = useQueryClient();
  const { drop } = useDrafts();
  const [problem, setProblem] = useState<ShownError | null>(null);
  const [isSending, setSending] = useState(false);
  const asked = plan?.conflicts.filter(({ severity }) => severity === 'consent').map(nameOf) ?? [];
  const isReady =
    isSound && plan !== undefined && !plan.needsPromotion && sent.length > 0 && asked.every((name) => agreed.has(name));

  async function save() {
    if (!plan) return;
    setSending(true);
    setProblem(null);
    try {
      const { changes } = await ask('POST /api/meta/resources/save', {
        body: {
          resources: sent.map((draft) => {
            const { resourceType, code } = draft;
            return { resourceType, code, content: { ...readDraft(draft).content } };
          }),
          planHash: plan.planHash,
          consent: asked,
        },
      });
      say(plural(changes.length, '{count} resource is saved', '{count} resources are saved'));
      await Promise.all([
        cache.invalidateQueries({ queryKey: RESOURCES }),
        cache.invalidateQueries({ queryKey: applicationQuery.queryKey }),
      ]);
      // Only now: until then a new resource is there as a draft alone.
      drop(...sent);
    } catch (error) {
      setProblem(shown(error));
      // Someone else was first: there is another plan to look at.
      await cache.invalidateQueries({ queryKey: [...RESOURCES, 'plan'] });
    }
    setSending(false);
  }

  if (sent.length === 0) return null;
  return (
    <div className={styles.save}>
      {problem && <Problem title={problem.title} advice={problem.advice} traceId={problem.traceId} />}
      <Button look="primary" size="large" disabled={!isReady || isSending} onClick={() => void save()}>
        {plural(sent.length, 'Save {count} resource', 'Save {count} resources')}
      </Button>
    </div>
  );
}
