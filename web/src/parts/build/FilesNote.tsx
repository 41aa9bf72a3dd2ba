import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { may } from '../../app/permissions.ts';
import { meQuery } from '../../app/queries.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { applicationsQuery } from '../environments/environments-query.ts';
import { saveBlob } from '../files/download.ts';
import type { Draft } from './drafts.ts';
import styles from './FilesNote.module.css';
import type { Content } from './yaml-text.ts';

interface FilesNoteProps {
  readonly environment: string;
  readonly draft: Draft;
  readonly content: Content;
}

/** Warns where an application comes from files: what is saved here differs from them. */
export function FilesNote({ environment, draft, content }: FilesNoteProps) {
  const { data: me } = useSuspenseQuery(meQuery);
  const { data: applications } = useQuery({
    ...applicationsQuery(environment),
    enabled: may(me, 'admin:environments'),
  });
  const { app } = content;
  const found = applications?.find(({ application }) => application === app);
  if (!found?.files) return null;
  const { application } = found;
  return (
    <div className={styles.note} role="note">
      <p>
        {t('The files of {application} say what this is. Saved here, it differs from them until {command}.', {
          application,
          command: 'keelson pull',
        })}
      </p>
      <Button onClick={() => saveFile(draft)}>{t('Download its file')}</Button>
    </div>
  );
}

/** As `keelson pull` names it. */
function saveFile({ resourceType, code, text }: Draft): void {
  const inContent = text
    .trimEnd()
    .split('\n')
    .filter((line) => !/^app: /.test(line))
    .map((line) => (line === '' ? '' : `  ${line}`));
  const file = [`resourceType: ${resourceType}`, `code: ${code}`, 'content:', ...inContent, ''].join('\n');
  saveBlob(new Blob([file], { type: 'application/yaml' }), `${code.replaceAll(':', '.')}.yaml`);
}
