import { Combobox } from '@base-ui/react/combobox';
import type { Choice } from '@keelson/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { client } from '../../app/client.ts';
import { shownInLine } from '../../app/errors.ts';
import { t } from '../../app/texts.ts';
import inputStyles from '../../ui/TextInput.module.css';
import styles from './ChoicePicker.module.css';
import { textOf, type Declarer, type EditorProps } from './field-kind.ts';
import { choicesKey } from './known-choice.ts';

interface ChoicePickerProps extends EditorProps {
  /** What the present value is called. */
  readonly initialLabel: string | null;
}

/** A record or a user, found by a keyword. */
export default function ChoicePicker(props: ChoicePickerProps) {
  const { field, value, onChange, ties, pageKey, declaredBy, initialLabel } = props;
  const [chosen, setChosen] = useState<Choice | null>(() =>
    typeof value === 'string' ? { value, label: initialLabel ?? value } : null,
  );
  const [typed, setTyped] = useState(chosen?.label ?? '');
  const keyword = useDeferredValue(typed === chosen?.label ? '' : typed);
  const path = declaredBy?.list === undefined ? field.code : `${declaredBy.list}.${field.code}`;
  const {
    data: choices = [],
    isFetching,
    error,
  } = useQuery({
    queryKey: [...choicesKey(declaredBy?.code ?? pageKey, path), keyword],
    queryFn: ({ signal }) => offering(pageKey, declaredBy).choices(path, { keyword, signal }),
    placeholderData: keepPreviousData,
  });
  const choose = (next: Choice | null) => {
    setChosen(next);
    onChange(next?.value ?? null);
  };
  return (
    <Combobox.Root
      items={choices}
      filter={null}
      // Enter takes what was found first, and does not send the form.
      autoHighlight
      value={chosen}
      onValueChange={choose}
      inputValue={typed}
      onInputValueChange={(text) => {
        setTyped(text);
        if (text === '') choose(null);
      }}
      itemToStringLabel={(choice: Choice) => choice.label}
      isItemEqualToValue={(one: Choice, other: Choice) => one.value === other.value}
    >
      <Combobox.Input {...ties} className={inputStyles.input} placeholder={t('Search')} title={textOf(value)} />
      <Combobox.Portal>
        <Combobox.Positioner className={styles.positioner} sideOffset={4}>
          <Combobox.Popup className={styles.popup}>
            <Combobox.Empty className={styles.note}>
              {isFetching ? t('Searching') : error ? shownInLine(error) : t('Nothing is found')}
            </Combobox.Empty>
            <Combobox.List>
              {(choice: Choice) => (
                <Combobox.Item key={choice.value} value={choice} className={styles.item}>
                  {choice.label}
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

function offering(pageKey: string, declaredBy: Declarer | undefined) {
  if (!declaredBy) return client.page(pageKey);
  return declaredBy.kind === 'command' ? client.command(declaredBy.code) : client.automation(declaredBy.code);
}
