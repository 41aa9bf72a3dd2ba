-- Operators list the imports of all users of a tenant, newest first.
create index data_import_by_tenant on platform.data_import (tenant_id, pid);
