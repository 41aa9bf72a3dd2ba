import { t } from '../../app/texts.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { KeyMap } from '../../ui/KeyMap.tsx';

/** What the keys do on a page. */
export default function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={t('Keys of this screen')} onClose={onClose}>
      <KeyMap
        keys={[
          [t('Move in the grid'), '↑', '↓', '←', '→'],
          [t('First and last record'), 'Ctrl Home', 'Ctrl End'],
          [t('Select the record'), 'Space'],
          [t('Select up to here'), 'Shift ↑', 'Shift ↓'],
          [t('Select all'), 'Ctrl A'],
          [t('Open the record'), 'Enter'],
          [t('Edit the cell'), 'e', 'F2'],
          [t('Keep the edit, or leave it'), 'Enter', 'Esc'],
          [t('Paste cells'), 'Ctrl V'],
          [t('Sort by the column, widen it'), 'Enter', 'Shift →'],
          [t('Move the column'), 'Ctrl Shift ←', 'Ctrl Shift →'],
          [t('Next and previous record'), 'j', 'k'],
          [t('Edit the open record'), 'e'],
          [t('Create a record'), 'c'],
          [t('Search this page'), '/'],
          [t('Search everything'), 'Ctrl K'],
          [t('Close what is on top'), 'Esc'],
          [t('Keys of this screen'), '?'],
        ]}
      />
    </Dialog>
  );
}
