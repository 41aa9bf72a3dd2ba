import type { Model } from '../../app/application.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { MenuChoice } from '../../ui/MenuChoice.tsx';
import type { PageSearch } from '../records/page-search.ts';
import { findShape, SHAPES } from './shapes.ts';

interface ShapeChoiceProps {
  readonly model: Model;
  readonly search: PageSearch;
  readonly onChange: (change: PageSearch) => void;
}

const GRID = 'grid';

/** How the records of a list are shown. */
export function ShapeChoice({ model, search, onChange }: ShapeChoiceProps) {
  const shape = findShape(search.shape, model);
  const fitting = SHAPES.filter(({ fits }) => fits(model));
  return (
    <Menu
      align="end"
      trigger={
        <Button look="plain" title={t('How the records are shown')}>
          <Icon name={shape?.icon ?? 'list'} />
          <span className="wide-only">{t(shape?.name ?? 'Grid')}</span>
        </Button>
      }
    >
      <MenuChoice
        label={t('Show as')}
        value={shape?.code ?? GRID}
        options={[[GRID, t('Grid')], ...fitting.map(({ code, name }) => [code, t(name)] as const)]}
        onChange={(code) =>
          onChange({ shape: code === GRID ? undefined : code, group: undefined, measure: undefined, at: undefined })
        }
      />
    </Menu>
  );
}
