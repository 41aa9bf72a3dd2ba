import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { findModel, findPage, nameField, type Application } from '../../app/application.ts';
import { RecordName } from '../fields/RecordName.tsx';

interface MessageTextProps {
  readonly application: Application;
  readonly text: string;
  /** Those that it may name by their pids: people read their names. */
  readonly records: readonly { readonly modelCode: string; readonly pid: string }[];
}

const PID = /\b([0-9A-HJKMNP-TV-Z]{26})\b/;

/** What was said. In the place of the pid of a record that is known stands a link to it. */
export function MessageText({ application, text, records }: MessageTextProps) {
  const known = new Map(records.map((record) => [record.pid, record.modelCode]));
  return (
    <>
      {text.split(PID).map((part, index) => {
        const modelCode = known.get(part);
        const page = modelCode === undefined ? undefined : findPage(application, modelCode);
        const model = modelCode === undefined ? undefined : findModel(application, modelCode);
        return (
          // oxlint-disable-next-line react/no-array-index-key
          <Fragment key={index}>
            {page && model ? (
              <Link to="/pages/$pageKey/$pid" params={{ pageKey: page.pageKey, pid: part }} title={part}>
                <RecordName pageKey={page.pageKey} pid={part} field={nameField(model)} /> ↗
              </Link>
            ) : (
              part
            )}
          </Fragment>
        );
      })}
    </>
  );
}
