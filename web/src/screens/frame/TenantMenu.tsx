import type { Me } from '../../app/application.ts';
import { chooseTenant } from '../../app/tenant.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { MenuChoice } from '../../ui/MenuChoice.tsx';
import styles from './TenantMenu.module.css';

/** The tenant in use, and the others of the caller. */
export function TenantMenu({ me }: { readonly me: Me }) {
  const usable = me.tenants.filter(({ tenantStatus }) => tenantStatus === 'member');
  const name = me.tenants.find(({ tenantId }) => tenantId === me.tenantId)?.name ?? '';
  if (usable.length < 2) return <span className={styles.name}>{name}</span>;
  return (
    <Menu
      trigger={
        <Button look="plain" aria-label={t('Tenant: {name}', { name })}>
          <span className={styles.name}>{name}</span>
          <Icon name="down" />
        </Button>
      }
    >
      <MenuChoice
        label={t('Tenant')}
        value={me.tenantId}
        options={usable.map((tenant) => [tenant.tenantId, tenant.name] as const)}
        onChange={chooseTenant}
      />
    </Menu>
  );
}
