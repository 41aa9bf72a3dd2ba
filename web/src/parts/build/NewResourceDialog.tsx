import { KeelsonError } from '@keelson/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { t } from '../../app/texts.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextInput } from '../../ui/TextInput.tsx';
import { ActionDialog } from '../actions/ActionDialog.tsx';
import { KIND_ORDER, kindName, type ResourceType } from '../promotions/promotion-words.ts';
import { planQuery } from './build-query.ts';
import { nameOf, useDrafts } from './drafts.ts';
import { fieldsOf } from './model-content.ts';
import { beginningOf } from './beginnings.ts';
import { useContentOf, useKnown } from './use-known.ts';
import { useSettled } from './use-plan.ts';
import { writeYaml } from './yaml-text.ts';

interface NewResourceDialogProps {
  readonly type: ResourceType | undefined;
  readonly app: string | undefined;
  readonly onClose: () => void;
}

/** Kinds that are about a model. */
const OF_MODELS: ReadonlySet<ResourceType> = new Set(['PAGE_SCHEMA', 'COMMAND']);

/** Begins a resource: it is a draft until it is saved. */
export function NewResourceDialog({ type: asked, app: ofApp, onClose }: NewResourceDialogProps) {
  const navigate = useNavigate();
  const { drafts, keep } = useDrafts();
  const [type, setType] = useState<ResourceType>(asked ?? 'MODEL');
  const [code, setCode] = useState('');
  const [name, setName] = useState('');
  const [app, setApp] = useState(ofApp ?? '');
  const [model, setModel] = useState('');
  const { data: models = [] } = useKnown('MODEL');
  const named = { resourceType: type, code: code.trim() };
  const isDraft = drafts.some((draft) => nameOf(draft) === nameOf(named));
  const isTaken = (useContentOf(type, named.code) !== null || isDraft) && named.code !== '';
  const needsModel = OF_MODELS.has(type);
  const chosen = models.find((one) => one.code === model) ?? models[0];

  const about = { code: code.trim(), name: name.trim() === '' ? code.trim() : name.trim(), app: app.trim() };
  const of = needsModel && chosen ? { code: chosen.code, fields: fieldsOf(chosen.content) } : null;
  const { problem, isChecking } = useCodeProblem({ ...named, content: { ...beginningOf(type, about, of) } });

  async function begin() {
    keep({ ...named, text: writeYaml(beginningOf(type, about, of)), version: null });
    onClose();
    await navigate({ to: '/build/$type/$code', params: { type, code: named.code }, search: {} });
  }

  return (
    <ActionDialog
      title={t('New resource')}
      action={t('Begin')}
      isReady={named.code !== '' && !isTaken && !isChecking && problem === undefined}
      onAct={begin}
      onClose={onClose}
    >
      {() => (
        <>
          <Labelled label={t('Kind')}>
            {(ties) => (
              <Select
                {...ties}
                value={type}
                options={KIND_ORDER.map((one) => [one, kindName(one)])}
                onChoose={(next) => setType(next as ResourceType)}
              />
            )}
          </Labelled>
          <Labelled label={t('Name')}>
            {(ties) => <TextInput {...ties} value={name} onChange={({ target }) => setName(target.value)} />}
          </Labelled>
          <Labelled
            label={t('Code')}
            required
            problem={isTaken ? t('There is one of this code') : problem}
            hint={type === 'COMMAND' ? t('Such as helpdesk:solve_ticket') : undefined}
          >
            {(ties) => <TextInput {...ties} value={code} onChange={({ target }) => setCode(target.value)} />}
          </Labelled>
          {needsModel && (
            <Labelled label={t('Model')}>
              {(ties) => (
                <Select
                  {...ties}
                  value={chosen?.code ?? ''}
                  options={models.map((one) => [one.code, one.code])}
                  onChoose={setModel}
                />
              )}
            </Labelled>
          )}
          <Labelled label={t('Application')} hint={t('Empty: of no application')}>
            {(ties) => <TextInput {...ties} value={app} onChange={({ target }) => setApp(target.value)} />}
          </Labelled>
        </>
      )}
    </ActionDialog>
  );
}

type Sent = Parameters<typeof planQuery>[0][number];

/** What the service says about the code of a draft: it cannot be changed afterwards. */
function useCodeProblem(draft: Sent): { readonly problem: string | undefined; readonly isChecking: boolean } {
  const code = useSettled(draft.code);
  const { error, isFetching } = useQuery(planQuery(code === '' ? [] : [{ ...draft, code }]));
  const problems = error instanceof KeelsonError ? error.fieldErrors : {};
  return { problem: problems['resources.0.code'], isChecking: code !== draft.code || isFetching };
}
