import { Link } from '@tanstack/react-router';
import { formatMoment } from '../../app/format.ts';
import { t } from '../../app/texts.ts';
import { Labelled } from '../../ui/Labelled.tsx';
import { Select } from '../../ui/Select.tsx';
import { StatusMark } from '../../ui/StatusMark.tsx';
import { statusText, toneOf } from '../activity/statuses.ts';
import type { Run } from '../runs/runs-query.ts';
import styles from './parts.module.css';

interface RunChoiceProps {
  readonly runs: readonly Run[];
  readonly watched: Run;
  readonly onChoose: (runPid: string) => void;
}

/** Which run is watched on the steps of its automation, and how it stands. */
export function RunChoice({ runs, watched: { runPid, status }, onChoose }: RunChoiceProps) {
  return (
    <div className={styles.row}>
      <Labelled label={t('Run that is watched')}>
        {(ties) => (
          <Select
            {...ties}
            value={runPid}
            options={runs.map((run) => [run.runPid, `${formatMoment(run.createdAt)} · ${run.startedBy.username}`])}
            onChoose={onChoose}
          />
        )}
      </Labelled>
      <span role="status">
        <StatusMark tone={toneOf(status)}>{statusText(status)}</StatusMark>
      </span>
      <Link to="/operate/runs/$runPid" params={{ runPid }} className={styles.link}>
        {t('Open the run')}
      </Link>
    </div>
  );
}
