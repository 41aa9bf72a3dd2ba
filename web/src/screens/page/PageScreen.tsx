import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { findModel } from '../../app/application.ts';
import { applicationQuery } from '../../app/queries.ts';
import { LostScreen } from '../start/LostScreen.tsx';
import { RecordList } from './RecordList.tsx';

/** The records of a page. */
export function PageScreen() {
  const { pageKey } = useParams({ from: '/pages/$pageKey' });
  const { data } = useSuspenseQuery(applicationQuery);
  const page = data.pages.find((one) => one.pageKey === pageKey);
  const model = page && findModel(data, page.modelCode);
  // Nothing of one page is kept for another.
  return page && model ? <RecordList key={pageKey} application={data} page={page} model={model} /> : <LostScreen />;
}
