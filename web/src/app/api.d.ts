// Printed by keelson types from the API of version 0.1.0. Do not edit.
export interface Api {
  'DELETE /api/admin/environments/{environment}/secrets/{name}': {
    params: {
      environment: string;
      name: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      name: string;
    };
  };
  'DELETE /api/admin/service-accounts/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: null;
  };
  'DELETE /api/admin/service-accounts/{pid}/keys/{keyPid}': {
    params: {
      keyPid: string;
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: null;
  };
  'DELETE /api/ai/conversations/{id}': {
    params: {
      id: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      conversationId: string;
    };
  };
  'DELETE /api/auth/sessions/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: null;
  };
  'DELETE /api/files/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: null;
  };
  'DELETE /api/im/channels/{channel}': {
    params: {
      channel: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      channel: string;
    };
  };
  'DELETE /api/views/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: null;
  };
  'DELETE /api/webhooks/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      pid: string;
    };
  };
  'GET /actuator/health': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['HealthReport'];
  };
  'GET /actuator/health/liveness': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['HealthReport'];
  };
  'GET /actuator/health/node': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['HealthReport'];
  };
  'GET /actuator/health/readiness': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['HealthReport'];
  };
  'GET /actuator/health/system': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['HealthReport'];
  };
  'GET /actuator/info': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      commit: string | null;
      environment?: string;
      host?: string;
      name: string;
      node?: string;
      pid?: number;
      roles?: Array<string>;
      uptimeSeconds: number;
      version: string;
    };
  };
  'GET /actuator/prometheus': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: never;
    media: 'text/plain';
  };
  'GET /api/admin/audit': {
    params: Record<string, never>;
    query: {
      action?: string;
      actor?: string;
      environment?: string;
      pageNum?: number;
      pageSize?: number;
      since?: string;
      target?: string;
      until?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<{
        action: string;
        actor: {
          userPid: string;
          username: string;
        };
        after: unknown;
        at: string;
        before: unknown;
        environment: string | null;
        hash: string;
        pid: string;
        previousHash: string;
        reason: string | null;
        targetPid: string;
        targetType: string;
        traceId: string | null;
      }>;
      total: number;
    };
    media: 'application/x-ndjson';
  };
  'GET /api/admin/audit/verify': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      brokenAt: string | null;
      entries: number;
      ok: boolean;
    };
  };
  'GET /api/admin/environments': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Array<Schemas['Environment']>;
  };
  'GET /api/admin/environments/diff': {
    params: Record<string, never>;
    query: {
      app?: string;
      source: string;
      target: string;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      added: Array<Schemas['ResourceDifference']>;
      removed: Array<Schemas['ResourceDifference']>;
      source: string;
      target: string;
      updated: Array<Schemas['ResourceDifference']>;
    };
  };
  'GET /api/admin/environments/{environment}/applications': {
    params: {
      environment: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Array<{
      application: string;
      files: {
        appliedAt: string;
        appliedBy: string;
        appliedByName: string;
      } | null;
      resources: number;
    }>;
  };
  'GET /api/admin/environments/{environment}/drift': {
    params: {
      environment: string;
    };
    query: {
      application: string;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      application: string;
      appliedAt: string;
      appliedBy: string;
      appliedByName: string;
      environment: string;
      resources: Array<{
        at: string;
        by: string | null;
        byName: string | null;
        change: 'ADDED' | 'CHANGED' | 'REMOVED';
        code: string;
        resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
        version: number;
      }>;
    };
  };
  'GET /api/admin/environments/{environment}/removed-fields': {
    params: {
      environment: string;
    };
    query: {
      modelCode?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: Array<Schemas['RemovedFields']>;
  };
  'GET /api/admin/environments/{environment}/reset': {
    params: {
      environment: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      environment: string;
      models: Array<{
        modelCode: string;
        records: number;
      }>;
      others: Record<string, number>;
      recordCount: number;
    };
  };
  'GET /api/admin/environments/{environment}/secrets': {
    params: {
      environment: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Array<{
      name: string;
      updatedAt: string;
      updatedBy: string | null;
      updatedByName: string | null;
    }>;
  };
  'GET /api/admin/mail-outbox': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Array<{
      at: string;
      subject: string;
      text: string;
      to: string;
    }>;
  };
  'GET /api/admin/operations': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      gauges: Array<{
        labels: Record<string, string>;
        name: string;
        value: number;
      }>;
      health: Schemas['Health'];
      nodes: Array<Schemas['OperationsNode']>;
    };
  };
  'GET /api/admin/promotions': {
    params: Record<string, never>;
    query: {
      pageNum?: number;
      pageSize?: number;
      status?: 'DRAFT' | 'VALIDATED' | 'APPLIED' | 'FAILED' | 'REJECTED' | 'CANCELLED' | 'EXPIRED';
      targetEnvId?: number;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<Schemas['Promotion']>;
      total: number;
    };
  };
  'GET /api/admin/promotions/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      agreement: {
        mayApprove: boolean;
        missing: number;
        needed: number;
      };
      appliedAt: string | null;
      appliedBy: string | null;
      appliedReason: string | null;
      applyAt: string | null;
      approvals: Array<{
        comment: string | null;
        createdAt: string;
        pid: string;
        userPid: string;
        username: string;
        valid: boolean;
      }>;
      autoInclude: boolean;
      conflicts: Array<Schemas['Conflict']>;
      createdAt: string;
      createdBy: string;
      createdByName: string;
      failureReason: string | null;
      pid: string;
      plan: Schemas['Plan'] | null;
      resolutions: Array<{
        resolution: 'use_source' | 'keep_target' | 'skip';
        resourcePid: string;
        type: 'OTHER_APPLICATION' | 'TARGET_NEWER' | 'FIELD_REVEALED' | 'VERSION_GAP' | 'DUPLICATE_CODE' | 'DELETED_IN_TARGET' | 'SECRET_MISSING' | 'RENAME_IMPOSSIBLE' | 'DESTRUCTIVE_SCHEMA' | 'IN_USE' | 'TABLE_REWRITE' | 'DATA_INCOMPATIBLE' | 'UNIQUE_LATER' | 'MISSING_DEPENDENCY' | 'REFERENCED_REMOVAL' | 'UNKNOWN_REFERENCE' | 'EXAMPLE_FAILED' | 'OVERLAPPING_PROMOTION';
      }>;
      rollbackOf: string | null;
      soak: {
        maxErrorRate: number;
        minCommands: number;
        reason: string | null;
        rollbackPid: string | null;
        seconds: number;
        seen: {
          away?: Array<string>;
          commands: number;
          down: Array<string>;
          failed: number;
        } | null;
        seenAt: string | null;
        status: 'WATCHING' | 'PASSED' | 'ROLLING_BACK' | 'ROLLED_BACK' | 'ROLLBACK_FAILED';
        unhealthyLooks: number;
        until: string;
      } | null;
      source: string | null;
      sourceEnvId: number | null;
      status: 'DRAFT' | 'VALIDATED' | 'APPLIED' | 'FAILED' | 'REJECTED' | 'CANCELLED' | 'EXPIRED';
      target: string;
      targetEnvId: number;
      timeline: Array<{
        action: string;
        actor: {
          userPid: string;
          username: string;
        };
        at: string;
        error: {
          code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TENANT_FORBIDDEN' | 'NOT_FOUND' | 'RATE_LIMITED' | 'INTERNAL_ERROR' | 'METHOD_NOT_ALLOWED' | 'NOT_ACCEPTABLE' | 'EXPRESSION_LIMIT' | 'REQUEST_TIMEOUT' | 'HEADERS_TOO_LARGE' | 'FOUR_EYES_REQUIRED' | 'CONFLICT' | 'ENVIRONMENT_LOCKED' | 'PROMOTION_CONFLICT' | 'PROMOTION_STATE' | 'STALE_PLAN' | 'PRECONDITION_FAILED' | 'PRECONDITION_REQUIRED' | 'PAYLOAD_TOO_LARGE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'BAD_GATEWAY' | 'SERVICE_UNAVAILABLE';
          data: Record<string, unknown> | null;
          message: string;
        } | null;
        outcome: string | null;
        reason: string | null;
      } & Record<string, unknown>>;
      units: Array<{
        resourcePid: string;
        resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
        version?: number;
      }> | '*';
    };
  };
  'GET /api/admin/promotions/{pid}/changes': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Array<Schemas['PromotionChange']>;
  };
  'GET /api/admin/promotions/{pid}/changes/{resourcePid}': {
    params: {
      pid: string;
      resourcePid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      action: 'ADD' | 'UPDATE' | 'REMOVE';
      after: Record<string, unknown> | null;
      before: Record<string, unknown> | null;
      changedSince: boolean;
      code: string;
      inPlan: boolean;
      pid: string;
      renamedFrom?: string;
      resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
      sourceVersion: number | null;
      table: {
        isEstimate: boolean;
        lock: 'share' | 'share row exclusive' | 'access exclusive' | null;
        rows: number | null;
        steps: Array<{
          isLater: boolean;
          statement: string;
        }>;
      } | null;
      targetVersion: number | null;
    };
  };
  'GET /api/admin/promotions/{pid}/stream': {
    params: {
      pid: string;
    };
    query: {
      lastEventId?: string;
    };
    headers: {
      'Last-Event-ID'?: string;
    };
    body: null;
    data: never;
    media: 'text/event-stream';
  };
  'GET /api/admin/roles': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Array<{
      builtIn: boolean;
      code: string;
      codes: Array<string>;
      grantable: boolean;
      name: string;
    }>;
  };
  'GET /api/admin/service-accounts': {
    params: Record<string, never>;
    query: {
      pageNum?: number;
      pageSize?: number;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<Schemas['ServiceAccount']>;
      total: number;
    };
  };
  'GET /api/admin/service-accounts/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['ServiceAccount'];
  };
  'GET /api/admin/tenants': {
    params: Record<string, never>;
    query: {
      keyword?: string;
      pageNum?: number;
      pageSize?: number;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<Schemas['Tenant']>;
      total: number;
    };
  };
  'GET /api/admin/tenants/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['Tenant'];
  };
  'GET /api/admin/users': {
    params: Record<string, never>;
    query: {
      keyword?: string;
      pageNum?: number;
      pageSize?: number;
      status?: 'active' | 'disabled';
      tenantId?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<Schemas['User']>;
      total: number;
    };
  };
  'GET /api/admin/users/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['User'];
  };
  'GET /api/ai/conversations': {
    params: Record<string, never>;
    query: {
      pageNum?: number;
      pageSize?: number;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<Schemas['Conversation']>;
      total: number;
    };
  };
  'GET /api/ai/conversations/{id}': {
    params: {
      id: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['Transcript'];
  };
  'GET /api/ai/{assistant}/chat/stream': {
    params: {
      assistant: string;
    };
    query: {
      conversationId: string;
      lastEventId?: string;
    };
    headers: {
      'Last-Event-ID'?: string;
    };
    body: null;
    data: never;
    media: 'text/event-stream';
  };
  'GET /api/auth/me': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      email: string | null;
      environment: string;
      permissions: Array<string>;
      roles: Array<string>;
      tenantId: string;
      tenants: Array<{
        name: string;
        roles: Array<string>;
        tenantId: string;
        tenantStatus: string;
      }>;
      userId: string;
      userPid: string;
      username: string;
    };
  };
  'GET /api/auth/sessions': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Array<{
      createdAt: string;
      current: boolean;
      expiresAt: string;
      ip: string | null;
      pid: string;
      refreshedAt: string;
      userAgent: string | null;
    }>;
  };
  'GET /api/automations': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Array<Schemas['Automation']>;
  };
  'GET /api/automations/approvals': {
    params: Record<string, never>;
    query: {
      pageNum?: number;
      pageSize?: number;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<Schemas['WaitingApproval']>;
      total: number;
    };
  };
  'GET /api/automations/runs': {
    params: Record<string, never>;
    query: {
      automationCode?: string;
      pageNum?: number;
      pageSize?: number;
      startedBy?: string;
      status?: 'PENDING' | 'RUNNING' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<Schemas['AutomationRun']>;
      total: number;
    };
  };
  'GET /api/automations/runs/{runPid}': {
    params: {
      runPid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['AutomationRunWithSteps'];
  };
  'GET /api/automations/runs/{runPid}/steps': {
    params: {
      runPid: string;
    };
    query: {
      pageNum?: number;
      pageSize?: number;
      status?: 'PENDING' | 'RUNNING' | 'RETRYING' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'SKIPPED' | 'CANCELLED';
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<Schemas['AutomationStep']>;
      total: number;
    };
  };
  'GET /api/automations/runs/{runPid}/stream': {
    params: {
      runPid: string;
    };
    query: {
      lastEventId?: string;
    };
    headers: {
      'Last-Event-ID'?: string;
    };
    body: null;
    data: never;
    media: 'text/event-stream';
  };
  'GET /api/automations/{code}/options/{field}': {
    params: {
      code: string;
      field: string;
    };
    query: {
      keyword?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: Array<{
      label: string;
      value: string;
    }>;
  };
  'GET /api/dashboards': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Array<{
      code: string;
      name: string;
    }>;
  };
  'GET /api/dashboards/{code}': {
    params: {
      code: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      code: string;
      name: string;
      tiles: Array<{
        code: string;
        columns: Array<{
          fieldName?: string;
          isGroup: boolean;
          label: string | null;
          name: string;
          part?: string;
          timeZone?: string;
          type: 'string' | 'text' | 'integer' | 'bigint' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'enum' | 'json' | 'relation' | 'user' | 'file' | 'list' | null;
        }>;
        comparison?: {
          label: string | null;
        };
        conditions?: Array<unknown>;
        dataSource?: string;
        kind: 'number' | 'bar' | 'line' | 'table';
        pageKey?: string;
        params?: Record<string, unknown>;
        title: string;
        trend?: {
          part: 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour';
        };
        width: number;
      }>;
    };
  };
  'GET /api/dashboards/{code}/tiles/{tile}': {
    params: {
      code: string;
      tile: string;
    };
    query: {
      timeZone?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      previous?: Array<Record<string, unknown>>;
      rows: Array<Record<string, unknown>>;
      trend?: Array<{
        at: string;
        value: unknown;
      }>;
      truncated: boolean;
    };
  };
  'GET /api/datasource/catalogue': {
    params: Record<string, never>;
    query: {
      pageNum?: number;
      pageSize?: number;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<{
        code: string;
        columns: Array<{
          name: string;
          type: 'string' | 'text' | 'integer' | 'bigint' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'enum' | 'json' | 'relation' | 'user' | 'file' | 'list' | null;
        }> | null;
        kind: 'static' | 'model' | 'dictionary' | 'sql' | 'rest';
        missingPermission?: string;
        name: string;
        paramsSchema: Record<string, unknown>;
      }>;
      total: number;
    };
  };
  'GET /api/datasource/list': {
    params: Record<string, never>;
    query: {
      datasourceId: string;
      maxItems?: number;
      params?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: Array<Record<string, unknown>>;
  };
  'GET /api/docs': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: never;
    media: 'text/html';
  };
  'GET /api/docs/{file}': {
    params: {
      file: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: never;
    media: '*/*';
  };
  'GET /api/dynamic/{pageKey}/export': {
    params: {
      pageKey: string;
    };
    query: {
      bom?: boolean;
      expand?: string;
      extraParams?: string;
      fields?: string;
      filters?: string;
      format: 'csv' | 'xlsx' | 'ndjson';
      header?: 'codes' | 'labels';
      keyword?: string;
      sortField?: string;
      sortFields?: string;
      sortOrder?: string;
      viewId?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: never;
    media: 'text/csv' | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' | 'application/x-ndjson';
  };
  'GET /api/dynamic/{pageKey}/imports/columns': {
    params: {
      pageKey: string;
    };
    query: {
      delimiter?: string;
      filePid: string;
      format: 'csv' | 'xlsx' | 'ndjson';
    };
    headers: Record<string, never>;
    body: null;
    data: {
      columns: Array<string>;
    };
  };
  'GET /api/dynamic/{pageKey}/list': {
    params: {
      pageKey: string;
    };
    query: {
      count?: 'exact' | 'none' | 'estimate' | 'capped';
      cursor?: string;
      expand?: string;
      extraParams?: string;
      fields?: string;
      filters?: string;
      keyword?: string;
      pageNum?: number;
      pageSize?: number;
      sortField?: string;
      sortFields?: string;
      sortOrder?: string;
      viewId?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: Schemas['RecordList'];
  };
  'GET /api/dynamic/{pageKey}/options/{fieldCode}': {
    params: {
      fieldCode: string;
      pageKey: string;
    };
    query: {
      keyword?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: Array<{
      label: string;
      value: string;
    }>;
  };
  'GET /api/dynamic/{pageKey}/stats': {
    params: {
      pageKey: string;
    };
    query: {
      extraParams?: string;
      fields?: string;
      filters?: string;
      keyword?: string;
      viewId?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      fields: Record<string, {
        avg: unknown;
        count: number;
        distinct: number;
        max: unknown;
        min: unknown;
        nulls: number;
        sum: unknown;
      }>;
      total: number;
    };
  };
  'GET /api/dynamic/{pageKey}/trash': {
    params: {
      pageKey: string;
    };
    query: {
      filters?: string;
      keyword?: string;
      pageNum?: number;
      pageSize?: number;
      sortField?: string;
      sortFields?: string;
      sortOrder?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<Schemas['DeletedRecord']>;
      total: number;
    };
  };
  'GET /api/dynamic/{pageKey}/{recordId}': {
    params: {
      pageKey: string;
      recordId: string;
    };
    query: {
      expand?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: Schemas['Record'];
  };
  'GET /api/dynamic/{pageKey}/{recordId}/commands': {
    params: {
      pageKey: string;
      recordId: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Array<{
      allowed: boolean;
      code: string;
      name: string;
      reason: string | null;
    }>;
  };
  'GET /api/dynamic/{pageKey}/{recordId}/history': {
    params: {
      pageKey: string;
      recordId: string;
    };
    query: {
      cursor?: string;
      pageSize?: number;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      nextCursor: string | null;
      records: Array<Schemas['HistoryEntry']>;
    };
  };
  'GET /api/dynamic/{pageKey}/{recordId}/relations/{name}': {
    params: {
      name: string;
      pageKey: string;
      recordId: string;
    };
    query: {
      count?: 'exact' | 'none' | 'estimate' | 'capped';
      cursor?: string;
      expand?: string;
      fields?: string;
      filters?: string;
      keyword?: string;
      pageNum?: number;
      pageSize?: number;
      sortField?: string;
      sortFields?: string;
      sortOrder?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: Schemas['RecordList'];
  };
  'GET /api/dynamic/{pageKey}/{recordId}/stream': {
    params: {
      pageKey: string;
      recordId: string;
    };
    query: {
      lastEventId?: string;
    };
    headers: {
      'Last-Event-ID'?: string;
    };
    body: null;
    data: never;
    media: 'text/event-stream';
  };
  'GET /api/files/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: never;
    media: '*/*';
  };
  'GET /api/files/{pid}/info': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['File'];
  };
  'GET /api/health': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      status: 'UP' | 'DOWN';
    };
  };
  'GET /api/im/channels': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Array<Schemas['ChannelBinding']>;
  };
  'GET /api/im/conversations/{id}/stream': {
    params: {
      id: string;
    };
    query: {
      channel?: string;
      lastEventId?: string;
    };
    headers: {
      'Last-Event-ID'?: string;
    };
    body: null;
    data: never;
    media: 'text/event-stream';
  };
  'GET /api/imports': {
    params: Record<string, never>;
    query: {
      cursor?: string;
      pageSize?: number;
      scope?: 'own' | 'tenant';
      status?: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    };
    headers: Record<string, never>;
    body: null;
    data: {
      nextCursor: string | null;
      records: Array<Schemas['Import']>;
    };
  };
  'GET /api/imports/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['Import'];
  };
  'GET /api/imports/{pid}/problems': {
    params: {
      pid: string;
    };
    query: {
      cursor?: string;
      pageSize?: number;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      nextCursor: string | null;
      records: Array<{
        code: string;
        column: string | null;
        given: Record<string, string> | null;
        message: string;
        row: number;
      }>;
    };
  };
  'GET /api/imports/{pid}/stream': {
    params: {
      pid: string;
    };
    query: {
      lastEventId?: string;
    };
    headers: {
      'Last-Event-ID'?: string;
    };
    body: null;
    data: never;
    media: 'text/event-stream';
  };
  'GET /api/meta/app': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      assistants: Array<{
        code: string;
        name: string;
      }>;
      automations: Array<{
        code: string;
        fields: Array<{
          accept?: Array<string>;
          code: string;
          default?: unknown;
          fields?: Array<{
            accept?: Array<string>;
            code: string;
            default?: unknown;
            labels?: Record<string, string>;
            max?: number;
            maxBytes?: number;
            maxLength?: number;
            min?: number;
            name: string;
            precision?: number;
            readOnly: boolean;
            required: boolean;
            scale?: number;
            target?: string;
            transitions?: Record<string, Array<string>>;
            type: 'string' | 'text' | 'integer' | 'bigint' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'enum' | 'json' | 'relation' | 'user' | 'file' | 'list';
            values?: Array<string>;
          }>;
          labels?: Record<string, string>;
          max?: number;
          maxBytes?: number;
          maxItems?: number;
          maxLength?: number;
          min?: number;
          minItems?: number;
          name: string;
          precision?: number;
          readOnly: boolean;
          required: boolean;
          scale?: number;
          target?: string;
          transitions?: Record<string, Array<string>>;
          type: 'string' | 'text' | 'integer' | 'bigint' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'enum' | 'json' | 'relation' | 'user' | 'file' | 'list';
          values?: Array<string>;
        }>;
        inputSchema: Record<string, unknown>;
        name: string;
      }>;
      commands: Array<{
        code: string;
        fields?: Array<{
          accept?: Array<string>;
          code: string;
          default?: unknown;
          fields?: Array<{
            accept?: Array<string>;
            code: string;
            default?: unknown;
            labels?: Record<string, string>;
            max?: number;
            maxBytes?: number;
            maxLength?: number;
            min?: number;
            name: string;
            precision?: number;
            readOnly: boolean;
            required: boolean;
            scale?: number;
            target?: string;
            transitions?: Record<string, Array<string>>;
            type: 'string' | 'text' | 'integer' | 'bigint' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'enum' | 'json' | 'relation' | 'user' | 'file' | 'list';
            values?: Array<string>;
          }>;
          labels?: Record<string, string>;
          max?: number;
          maxBytes?: number;
          maxItems?: number;
          maxLength?: number;
          min?: number;
          minItems?: number;
          name: string;
          precision?: number;
          readOnly: boolean;
          required: boolean;
          scale?: number;
          target?: string;
          transitions?: Record<string, Array<string>>;
          type: 'string' | 'text' | 'integer' | 'bigint' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'enum' | 'json' | 'relation' | 'user' | 'file' | 'list';
          values?: Array<string>;
        }>;
        matchOn?: Array<string>;
        modelCode: string;
        name: string;
        operations: Array<'CREATE' | 'UPDATE' | 'UPSERT' | 'DELETE' | 'CUSTOM'>;
        payloadSchema: Record<string, unknown>;
        target?: boolean;
        transition?: {
          field: string;
          from: Array<string>;
          to: string;
        };
      }>;
      dashboards: Array<{
        code: string;
        name: string;
      }>;
      dataSources: Array<{
        code: string;
        name: string;
        paramsSchema: Record<string, unknown>;
      }>;
      environment: string;
      metadataVersion: number;
      models: Array<{
        checks?: Array<{
          assert: string;
          fields?: Array<string>;
          message: string;
          reason?: string;
        }>;
        code: string;
        displayField: string;
        fields: Array<{
          accept?: Array<string>;
          code: string;
          default?: unknown;
          fields?: Array<{
            accept?: Array<string>;
            code: string;
            default?: unknown;
            labels?: Record<string, string>;
            max?: number;
            maxBytes?: number;
            maxLength?: number;
            min?: number;
            name: string;
            precision?: number;
            readOnly: boolean;
            required: boolean;
            scale?: number;
            target?: string;
            transitions?: Record<string, Array<string>>;
            type: 'string' | 'text' | 'integer' | 'bigint' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'enum' | 'json' | 'relation' | 'user' | 'file' | 'list';
            values?: Array<string>;
          }>;
          labels?: Record<string, string>;
          max?: number;
          maxBytes?: number;
          maxItems?: number;
          maxLength?: number;
          min?: number;
          minItems?: number;
          name: string;
          precision?: number;
          readOnly: boolean;
          required: boolean;
          scale?: number;
          target?: string;
          transitions?: Record<string, Array<string>>;
          type: 'string' | 'text' | 'integer' | 'bigint' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'enum' | 'json' | 'relation' | 'user' | 'file' | 'list';
          values?: Array<string>;
        }>;
        name: string;
        noOverlap?: Array<{
          fields: Array<string>;
          from: string;
          message?: string;
          to: string;
        }>;
        relations?: Array<{
          code: string;
          name: string;
          target: string;
          through: string;
        }>;
        uniqueTogether?: Array<Array<string>>;
      }>;
      pages: Array<{
        columns: Array<{
          fieldName: string;
          format?: string;
          label: string;
          sortable: boolean;
          width?: number;
        }>;
        commands: Array<string>;
        form?: {
          sections: Array<{
            columns?: number;
            fields: Array<string>;
            name?: string;
          }>;
        };
        modelCode: string;
        name: string;
        operators: Record<string, Array<string>>;
        pageKey: string;
        params?: Array<string>;
        sortFields: Array<{
          fieldName: string;
          order: 'asc' | 'desc';
        }>;
      }>;
      timeZone: string;
      views: Array<unknown>;
    };
  };
  'GET /api/meta/builds': {
    params: Record<string, never>;
    query: {
      modelCode?: string;
      pageNum?: number;
      pageSize?: number;
      status?: 'QUEUED' | 'BUILDING' | 'DONE' | 'FAILED' | 'CANCELLED';
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<Schemas['TableBuild']>;
      total: number;
    };
  };
  'GET /api/meta/commands/executions': {
    params: Record<string, never>;
    query: {
      batchPid?: string;
      commandCode?: string;
      cursor?: string;
      pageSize?: number;
      recordPid?: string;
      since?: string;
      status?: 'RECEIVED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
      until?: string;
      userPid?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      nextCursor: string | null;
      records: Array<{
        batchPid: string | null;
        commandCode: string;
        error: {
          code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TENANT_FORBIDDEN' | 'NOT_FOUND' | 'RATE_LIMITED' | 'INTERNAL_ERROR' | 'METHOD_NOT_ALLOWED' | 'NOT_ACCEPTABLE' | 'EXPRESSION_LIMIT' | 'REQUEST_TIMEOUT' | 'HEADERS_TOO_LARGE' | 'FOUR_EYES_REQUIRED' | 'CONFLICT' | 'ENVIRONMENT_LOCKED' | 'PROMOTION_CONFLICT' | 'PROMOTION_STATE' | 'STALE_PLAN' | 'PRECONDITION_FAILED' | 'PRECONDITION_REQUIRED' | 'PAYLOAD_TOO_LARGE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'BAD_GATEWAY' | 'SERVICE_UNAVAILABLE';
          message: string;
        } | null;
        finishedAt: string | null;
        operation: 'CREATE' | 'UPDATE' | 'UPSERT' | 'DELETE' | 'CUSTOM' | 'BATCH';
        pid: string;
        startedAt: string;
        status: 'RECEIVED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
        targetRecordId: string | null;
        traceId: string;
        userPid: string;
        username: string;
        workflowId: string;
      }>;
    };
  };
  'GET /api/meta/commands/executions/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['ExecutionDetails'];
  };
  'GET /api/meta/commands/executions/{pid}/stream': {
    params: {
      pid: string;
    };
    query: {
      lastEventId?: string;
    };
    headers: {
      'Last-Event-ID'?: string;
    };
    body: null;
    data: never;
    media: 'text/event-stream';
  };
  'GET /api/meta/commands/options/{commandCode}/{field}': {
    params: {
      commandCode: string;
      field: string;
    };
    query: {
      keyword?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: Array<{
      label: string;
      value: string;
    }>;
  };
  'GET /api/meta/openapi.json': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Record<string, unknown>;
  };
  'GET /api/meta/resources': {
    params: Record<string, never>;
    query: {
      app?: string;
      code?: string;
      keyword?: string;
      pageNum?: number;
      pageSize?: number;
      resourceType?: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<Schemas['Resource']>;
      total: number;
    };
  };
  'GET /api/meta/resources/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['Resource'];
  };
  'GET /api/meta/resources/{pid}/versions': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Array<{
      code: string;
      content: Record<string, unknown> | null;
      deleted: boolean;
      pid: string;
      resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
      updatedAt: string;
      updatedBy: string | null;
      updatedByName: string | null;
      version: number;
    }>;
  };
  'GET /api/meta/schemas/{type}': {
    params: {
      type: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Record<string, unknown>;
  };
  'GET /api/meta/temporal': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      workflowUrl: string | null;
    };
  };
  'GET /api/meta/trace/{traceId}': {
    params: {
      traceId: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['Trace'];
  };
  'GET /api/openapi.json': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Record<string, unknown>;
  };
  'GET /api/users/lookup': {
    params: Record<string, never>;
    query: {
      keyword?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: Array<{
      email: string;
      label: string;
      value: string;
    }>;
  };
  'GET /api/views': {
    params: Record<string, never>;
    query: {
      pageKey?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: Array<Schemas['View']>;
  };
  'GET /api/views/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['View'];
  };
  'GET /api/webhooks': {
    params: Record<string, never>;
    query: {
      enabled?: boolean;
      eventType?: string;
      keyword?: string;
      pageNum?: number;
      pageSize?: number;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<Schemas['WebhookSubscription']>;
      total: number;
    };
  };
  'GET /api/webhooks/deliveries': {
    params: Record<string, never>;
    query: {
      cursor?: string;
      eventType?: string;
      pageSize?: number;
      since?: string;
      status?: 'PENDING' | 'RETRYING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
      statusClass?: '2xx' | '3xx' | '4xx' | '5xx' | 'none';
      subscriptionPid?: string;
      until?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      nextCursor: string | null;
      records: Array<Schemas['LoggedWebhookDelivery']>;
    };
  };
  'GET /api/webhooks/deliveries/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['WebhookDeliveryDetails'];
  };
  'GET /api/webhooks/event-types': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      records: Array<{
        commandCode: string | null;
        description: string;
        eventType: string;
        modelCode: string | null;
        sample: {
          commandCode: string;
          modelCode: string | null;
          payload: Record<string, unknown>;
          result: unknown;
        };
      }>;
      wildcards: string;
    };
  };
  'GET /api/webhooks/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['WebhookSubscription'];
  };
  'GET /api/webhooks/{pid}/deliveries': {
    params: {
      pid: string;
    };
    query: {
      cursor?: string;
      eventType?: string;
      pageNum?: number;
      pageSize?: number;
      since?: string;
      status?: 'PENDING' | 'RETRYING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
      until?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      pageNum: number;
      pageSize: number;
      records: Array<Schemas['WebhookDelivery']>;
      total: number;
    } | {
      nextCursor: string | null;
      records: Array<Schemas['WebhookDelivery']>;
    };
  };
  'GET /api/webhooks/{pid}/metrics': {
    params: {
      pid: string;
    };
    query: {
      hours?: number;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      attempts: number;
      durationMs: {
        p50: number | null;
        p95: number | null;
      };
      errors: Record<string, number>;
      exhausted: number;
      failed: number;
      hours: number;
      succeeded: number;
      successRate: number | null;
      unfinished: number;
    };
  };
  'GET /api/webhooks/{pid}/recoverable': {
    params: {
      pid: string;
    };
    query: {
      since: string;
      until?: string;
    };
    headers: Record<string, never>;
    body: null;
    data: {
      total: number;
    };
  };
  'GET /api/webhooks/{pid}/recoveries': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Array<Schemas['WebhookRecovery']>;
  };
  'GET /api/webhooks/{pid}/recoveries/{recoveryPid}': {
    params: {
      pid: string;
      recoveryPid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['WebhookRecovery'];
  };
  'GET /console': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: never;
    media: 'text/html';
  };
  'GET /console/assets/{file}': {
    params: {
      file: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: never;
    media: '*/*';
  };
  'GET /console/{area}': {
    params: {
      area: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: never;
    media: 'text/html';
  };
  'GET /console/{area}/{name}': {
    params: {
      area: string;
      name: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: never;
    media: 'text/html';
  };
  'GET /console/{area}/{name}/{item}': {
    params: {
      area: string;
      item: string;
      name: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: never;
    media: 'text/html';
  };
  'PATCH /api/admin/environments/{environment}': {
    params: {
      environment: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      approvalPolicy: {
        expiresHours?: number;
        minApprovals?: number;
        selfApprove?: boolean;
        unlockApproval?: boolean;
      };
      reason: string;
    };
    data: Schemas['Environment'];
    accepted: Schemas['Environment'];
  };
  'PATCH /api/admin/tenants/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      name?: string;
      status?: 'active' | 'suspended';
      timeZone?: string;
    };
    data: Schemas['Tenant'];
  };
  'PATCH /api/admin/users/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      adopt?: boolean;
      memberships?: Array<{
        roles: Array<string>;
        tenantId: string;
      }>;
      status?: 'active' | 'disabled';
      username?: string;
    };
    data: {
      createdAt: string;
      email: string;
      leftBehind: Array<{
        adopted: boolean;
        environment: string | null;
        kind: 'service-account' | 'webhook' | 'im-channel';
        name: string;
        pid: string;
        tenantId: string;
      }>;
      memberships: Array<{
        roles: Array<string>;
        tenantId: string;
        tenantName: string;
      }>;
      pid: string;
      status: 'active' | 'disabled';
      userId: string;
      username: string;
    };
  };
  'PATCH /api/views/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      columns?: Array<string>;
      conditions?: Array<unknown>;
      display?: {
        figures?: Array<{
          fieldName: string;
          fn: 'sum' | 'avg' | 'min' | 'max' | 'none';
        }>;
        groupBy?: {
          fieldName: string;
          part?: 'year' | 'quarter' | 'month' | 'week' | 'day';
        };
        measure?: {
          fieldName: string;
          fn: 'sum' | 'avg' | 'min' | 'max';
        };
        pinned?: Array<string>;
        rows?: 'roomy';
        shape?: 'board' | 'calendar' | 'chart';
        widths?: Array<{
          fieldName: string;
          pixels: number;
        }>;
      };
      name?: string;
      sortFields?: Array<{
        fieldName: string;
        order: 'asc' | 'desc';
      }>;
    };
    data: Schemas['View'];
  };
  'PATCH /api/webhooks/{pid}': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      description?: string | null;
      enabled?: boolean | null;
      eventType?: string;
      filterExpression?: string | null;
      headers?: Record<string, unknown> | null;
      maxRetries?: number | null;
      modelCode?: string | null;
      name?: string;
      ordering?: 'none' | 'record' | null;
      rateLimitPerSecond?: number | null;
      retryScheduleMs?: Array<number> | null;
      secret?: string | null;
      targetUrl?: string;
      timeoutMs?: number | null;
    };
    data: {
      circuit: {
        failures: number;
        openUntil: string | null;
        state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
      };
      createdAt: string;
      createdBy: string;
      description: string | null;
      disabledReason: string | null;
      enabled: boolean;
      eventType: string;
      filterExpression: string | null;
      hasSecret: boolean;
      headers: Record<string, string> | null;
      maxRetries: number;
      modelCode: string | null;
      name: string;
      ordering: 'none' | 'record';
      ownedBy: string;
      paused: 'OWNER_INACTIVE' | 'OWNER_DEMOTED' | null;
      pid: string;
      rateLimitPerSecond: number | null;
      retryScheduleMs: Array<number> | null;
      secret?: string;
      targetUrl: string;
      timeoutMs: number;
      updatedAt: string;
      warnings: Array<string>;
    };
  };
  'POST /api/admin/environments/{environment}/apply': {
    params: {
      environment: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      allowDestructive?: Array<string>;
      application: string;
      dryRun?: boolean;
      planHash?: string;
      prune?: boolean;
      reason?: string;
      resources: Array<{
        code: string;
        content: Record<string, unknown>;
        resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
      } & Record<string, unknown>>;
    } & Record<string, unknown>;
    data: Schemas['AppliedFiles'];
    accepted: Schemas['AppliedFiles'];
  };
  'POST /api/admin/environments/{environment}/export': {
    params: {
      environment: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['EnvironmentExportData'];
  };
  'POST /api/admin/environments/{environment}/import': {
    params: {
      environment: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      checksum: string;
      consent?: Array<string>;
      environment: string;
      formatVersion: 1;
      planOnly?: boolean;
      reason?: string;
      resources: Array<{
        code: string;
        content: Record<string, unknown>;
        pid: string;
        resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
        version: number;
      } & Record<string, unknown>>;
    } & Record<string, unknown>;
    data: Schemas['Promotion'];
    accepted: Schemas['Promotion'];
  };
  'POST /api/admin/environments/{environment}/lock': {
    params: {
      environment: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      reason: string;
    } & Record<string, unknown>;
    data: Schemas['Environment'];
  };
  'POST /api/admin/environments/{environment}/removed-fields/drop': {
    params: {
      environment: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      fields: Record<string, number>;
      modelCode: string;
      reason: string;
      rewrite?: boolean;
    } & Record<string, unknown>;
    data: {
      columnsMade: number;
      dropped: Array<string>;
      modelCode: string;
      rewritten: boolean;
    };
  };
  'POST /api/admin/environments/{environment}/reset': {
    params: {
      environment: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      reason?: string | null;
      recordCount: number;
      records?: Array<{
        modelCode: string;
        records: Array<Record<string, unknown>>;
        tenant: string;
      } & Record<string, unknown>>;
    } & Record<string, unknown>;
    data: {
      removed: {
        environment: string;
        models: Array<{
          modelCode: string;
          records: number;
        }>;
        others: Record<string, number>;
        recordCount: number;
      };
      written: number;
    };
  };
  'POST /api/admin/environments/{environment}/unlock': {
    params: {
      environment: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      reason: string;
    } & Record<string, unknown>;
    data: Schemas['Environment'];
    accepted: Schemas['Environment'];
  };
  'POST /api/admin/promotions': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      app?: string;
      sourceEnvId: number;
      targetEnvId: number;
      units?: Array<{
        resourcePid: string;
        resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
        version?: number;
      } & Record<string, unknown>> | '*';
    } & Record<string, unknown>;
    data: Schemas['Promotion'];
  };
  'POST /api/admin/promotions/{pid}/apply': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      applyAt?: string;
      consent?: Array<string>;
      planHash?: string;
      reason: string;
      soak?: {
        maxErrorRate?: number;
        minCommands?: number;
        seconds: number;
      };
    } & Record<string, unknown>;
    data: Schemas['Promotion'];
  };
  'POST /api/admin/promotions/{pid}/approve': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      comment?: string | null;
      planHash?: string;
    } & Record<string, unknown>;
    data: Schemas['Promotion'];
  };
  'POST /api/admin/promotions/{pid}/cancel': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      reason?: string | null;
    } & Record<string, unknown>;
    data: Schemas['Promotion'];
  };
  'POST /api/admin/promotions/{pid}/reject': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      reason: string;
    } & Record<string, unknown>;
    data: Schemas['Promotion'];
  };
  'POST /api/admin/promotions/{pid}/rollback': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      reason?: string | null;
    } & Record<string, unknown>;
    data: Schemas['Promotion'];
  };
  'POST /api/admin/promotions/{pid}/validate': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      autoInclude?: boolean;
      resolutions?: Array<{
        resolution: 'use_source' | 'keep_target' | 'skip';
        resourcePid: string;
        type: 'OTHER_APPLICATION' | 'TARGET_NEWER' | 'FIELD_REVEALED' | 'VERSION_GAP' | 'DUPLICATE_CODE' | 'DELETED_IN_TARGET' | 'SECRET_MISSING' | 'RENAME_IMPOSSIBLE' | 'DESTRUCTIVE_SCHEMA' | 'IN_USE' | 'TABLE_REWRITE' | 'DATA_INCOMPATIBLE' | 'UNIQUE_LATER' | 'MISSING_DEPENDENCY' | 'REFERENCED_REMOVAL' | 'UNKNOWN_REFERENCE' | 'EXAMPLE_FAILED' | 'OVERLAPPING_PROMOTION';
      } & Record<string, unknown>>;
    } & Record<string, unknown>;
    data: Schemas['Promotion'];
  };
  'POST /api/admin/secrets/reseal': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      cursor?: string;
    };
    data: {
      cursor: string | null;
      left: number;
      resealed: number;
      unreadable: Array<string>;
    };
  };
  'POST /api/admin/service-accounts': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      name: string;
    };
    data: Schemas['ServiceAccount'];
  };
  'POST /api/admin/service-accounts/{pid}/adopt': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['ServiceAccount'];
  };
  'POST /api/admin/service-accounts/{pid}/keys': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      expiresAt?: string;
      scopes: Array<string>;
    };
    data: {
      createdAt: string;
      createdBy: string;
      expiresAt: string | null;
      key: string;
      lastUsedAt: string | null;
      ownedBy: string;
      pid: string;
      prefix: string;
      scopes: Array<string>;
      suspended: 'OWNER_INACTIVE' | 'OWNER_DEMOTED' | null;
    };
  };
  'POST /api/admin/tenants': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      name: string;
      timeZone?: string;
    };
    data: Schemas['Tenant'];
  };
  'POST /api/admin/users': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      email: string;
      memberships: Array<{
        roles: Array<string>;
        tenantId: string;
      }>;
      password?: string | null;
      username: string;
    };
    data: Schemas['User'];
  };
  'POST /api/admin/users/{pid}/reset': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: null;
  };
  'POST /api/ai/conversations/{id}/confirm': {
    params: {
      id: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      confirmationId: string;
      confirmed: boolean;
    };
    data: {
      confirmationId: string;
      status: 'OPEN' | 'CONFIRMED' | 'DECLINED' | 'EXPIRED';
    };
  };
  'POST /api/ai/conversations/{id}/stop': {
    params: {
      id: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: {
      conversationId: string;
    };
  };
  'POST /api/ai/{assistant}/chat/stream': {
    params: {
      assistant: string;
    };
    query: {
      lastEventId?: string;
    };
    headers: {
      'Last-Event-ID'?: string;
    };
    body: {
      conversationId?: string | null;
      message: string;
    };
    data: never;
    media: 'text/event-stream';
  };
  'POST /api/auth/login': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      email: string;
      password: string;
      refreshTokenIn?: 'body' | 'cookie';
    } & Record<string, unknown>;
    data: Schemas['LoginResult'];
  };
  'POST /api/auth/logout': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: null;
  };
  'POST /api/auth/logout-all': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: null;
  };
  'POST /api/auth/password': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      currentPassword: string;
      newPassword: string;
      refreshTokenIn?: 'body' | 'cookie';
    } & Record<string, unknown>;
    data: Schemas['LoginResult'];
  };
  'POST /api/auth/password-reset/confirm': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      newPassword: string;
      token: string;
    } & Record<string, unknown>;
    data: null;
  };
  'POST /api/auth/password-reset/request': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      email: string;
    } & Record<string, unknown>;
    data: null;
  };
  'POST /api/auth/refresh': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      refreshToken?: string;
      refreshTokenIn?: 'body' | 'cookie';
    } & Record<string, unknown>;
    data: Schemas['LoginResult'];
  };
  'POST /api/automations/runs/{runPid}/approve': {
    params: {
      runPid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      approved: boolean;
      comment?: string | null;
      step?: string | null;
    };
    data: Schemas['AutomationRunWithSteps'];
  };
  'POST /api/automations/runs/{runPid}/cancel': {
    params: {
      runPid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      reason?: string | null;
    };
    data: Schemas['AutomationRunWithSteps'];
  };
  'POST /api/automations/runs/{runPid}/retry': {
    params: {
      runPid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['AutomationRunWithSteps'];
  };
  'POST /api/automations/{code}/runs': {
    params: {
      code: string;
    };
    query: Record<string, never>;
    headers: {
      'X-Idempotent-Key'?: string;
    };
    body: {
      input?: Record<string, unknown>;
    };
    data: Schemas['AutomationRunWithSteps'];
    accepted: Schemas['AutomationRunWithSteps'];
  };
  'POST /api/dashboards/preview': {
    params: Record<string, never>;
    query: {
      timeZone?: string;
    };
    headers: Record<string, never>;
    body: {
      tile: Record<string, unknown>;
    };
    data: {
      previous?: Array<Record<string, unknown>>;
      rows: Array<Record<string, unknown>>;
      tile: {
        code: string;
        columns: Array<{
          fieldName?: string;
          isGroup: boolean;
          label: string | null;
          name: string;
          part?: string;
          timeZone?: string;
          type: 'string' | 'text' | 'integer' | 'bigint' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'enum' | 'json' | 'relation' | 'user' | 'file' | 'list' | null;
        }>;
        comparison?: {
          label: string | null;
        };
        conditions?: Array<unknown>;
        dataSource?: string;
        kind: 'number' | 'bar' | 'line' | 'table';
        pageKey?: string;
        params?: Record<string, unknown>;
        title: string;
        trend?: {
          part: 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour';
        };
        width: number;
      };
      trend?: Array<{
        at: string;
        value: unknown;
      }>;
      truncated: boolean;
    };
  };
  'POST /api/datasource/test': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      content: Record<string, unknown>;
      maxItems?: number;
      params?: Record<string, unknown>;
    };
    data: {
      columns: Array<{
        name: string;
        type: 'string' | 'text' | 'integer' | 'bigint' | 'decimal' | 'boolean' | 'date' | 'datetime' | 'enum' | 'json' | 'relation' | 'user' | 'file' | 'list' | null;
      }>;
      durationMs: number;
      rows: Array<Record<string, unknown>>;
      warnings: Array<{
        message: string;
        path: string;
      }>;
    };
  };
  'POST /api/dynamic/{pageKey}/aggregate': {
    params: {
      pageKey: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      conditions?: Array<unknown>;
      extraParams?: Record<string, unknown>;
      groupBy?: Array<{
        as?: string;
        fieldName: string;
        part?: 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour';
        timeZone?: string;
      }>;
      having?: Array<unknown>;
      keyword?: string;
      limit?: number;
      measures?: Array<{
        as: string;
        fieldName?: string;
        fn: 'count' | 'countDistinct' | 'sum' | 'avg' | 'min' | 'max';
      }>;
      sortFields?: Array<{
        fieldName: string;
        order?: string;
      }>;
    };
    data: {
      rows: Array<Record<string, unknown>>;
      truncated: boolean;
    };
  };
  'POST /api/dynamic/{pageKey}/imports': {
    params: {
      pageKey: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      commandCode?: string;
      delimiter?: string;
      dryRun?: boolean;
      filePid: string;
      format: 'csv' | 'xlsx' | 'ndjson';
      mapping?: Record<string, string>;
      matchOn?: string;
      mode?: 'create' | 'update' | 'upsert';
    };
    data: never;
    accepted: {
      importPid: string;
    };
  };
  'POST /api/dynamic/{pageKey}/query': {
    params: {
      pageKey: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      conditions?: Array<unknown>;
      count?: 'exact' | 'none' | 'estimate' | 'capped';
      cursor?: string | number;
      expand?: string | Array<string>;
      extraParams?: Record<string, unknown>;
      fields?: string | Array<string>;
      keyword?: string;
      pageNum?: number;
      pageSize?: number;
      sortFields?: Array<{
        fieldName: string;
        order?: string;
      }>;
      viewId?: string;
    };
    data: Schemas['RecordList'];
  };
  'POST /api/files': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: FormData;
    data: Schemas['File'];
  };
  'POST /api/im/{channel}/messages': {
    params: {
      channel: string;
    };
    query: Record<string, never>;
    headers: {
      'X-Environment'?: string;
      'X-IM-Signature'?: string;
      'X-Slack-Request-Timestamp'?: string;
      'X-Slack-Signature'?: string;
    };
    body: {
      conversationId: string;
      messageId?: string;
      sender: string;
      text: string;
    } & Record<string, unknown> | {
      type: string;
    } & Record<string, unknown>;
    data: {
      challenge: string;
    } | null;
    accepted: {
      conversationId: string;
      replyPid: string;
    };
  };
  'POST /api/imports/{pid}/cancel': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['Import'];
  };
  'POST /api/meta/builds/{pid}/retry': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['TableBuild'];
  };
  'POST /api/meta/commands/examples/{commandCode}': {
    params: {
      commandCode: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      content?: Record<string, unknown>;
    };
    data: {
      commandCode: string;
      examples: Array<{
        differences: Array<{
          actual?: unknown;
          expected: unknown;
          path: string;
        }>;
        error: {
          code: string;
          data: Record<string, unknown> | null;
          message: string;
        } | null;
        name: string;
        status: 'PASSED' | 'FAILED' | 'SKIPPED';
      }>;
      failed: number;
      passed: number;
      skipped: number;
    };
  };
  'POST /api/meta/commands/execute/{commandCode}': {
    params: {
      commandCode: string;
    };
    query: Record<string, never>;
    headers: {
      'If-Match'?: string;
      Prefer?: string;
      'X-Idempotent-Key'?: string;
    };
    body: {
      clientRequestId?: string | null;
      dryRun?: boolean;
      expectedVersion?: number | null;
      matchOn?: string | Array<string> | null;
      operationType?: 'CREATE' | 'UPDATE' | 'UPSERT' | 'DELETE' | 'CUSTOM';
      payload?: Record<string, unknown>;
      targetRecordId?: string | null;
    };
    data: unknown;
    accepted: {
      executionPid: string;
      status: 'RECEIVED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    };
  };
  'POST /api/meta/commands/execute/{commandCode}/batch': {
    params: {
      commandCode: string;
    };
    query: Record<string, never>;
    headers: {
      Prefer?: string;
      'X-Idempotent-Key'?: string;
    };
    body: {
      dryRun?: boolean;
      items: Array<{
        clientRequestId?: string | null;
        expectedVersion?: number | null;
        matchOn?: string | Array<string> | null;
        operationType?: 'CREATE' | 'UPDATE' | 'UPSERT' | 'DELETE' | 'CUSTOM';
        payload?: Record<string, unknown>;
        targetRecordId?: string | null;
      }>;
      mode?: 'atomic' | 'partial';
    };
    data: {
      failed: number;
      results: Array<{
        code: string;
        data: unknown;
        dataLeftOut?: boolean;
        executionPid: string | null;
        index: number;
        message?: string;
        mismatch?: boolean;
      }>;
      succeeded: number;
    };
    accepted: {
      executionPid: string;
      status: 'RECEIVED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    };
  };
  'POST /api/meta/commands/executions/{pid}/cancel': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['Execution'];
  };
  'POST /api/meta/commands/executions/{pid}/retry': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: unknown;
    accepted: {
      executionPid: string;
      status: 'RECEIVED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    };
  };
  'POST /api/meta/commands/validate/{commandCode}': {
    params: {
      commandCode: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      clientRequestId?: string | null;
      dryRun?: boolean;
      expectedVersion?: number | null;
      matchOn?: string | Array<string> | null;
      operationType?: 'CREATE' | 'UPDATE' | 'UPSERT' | 'DELETE' | 'CUSTOM';
      payload?: Record<string, unknown>;
      targetRecordId?: string | null;
    };
    data: {
      fieldErrors: Record<string, unknown>;
      valid: boolean;
    };
  };
  'POST /api/meta/resources/plan': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      resources: Array<{
        code: string;
        content: Record<string, unknown>;
        resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
      } & Record<string, unknown>>;
    } & Record<string, unknown>;
    data: Schemas['PlannedDrafts'];
  };
  'POST /api/meta/resources/save': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      consent?: Array<string>;
      planHash?: string;
      reason?: string;
      resources: Array<{
        code: string;
        content: Record<string, unknown>;
        resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
      } & Record<string, unknown>>;
    } & Record<string, unknown>;
    data: Schemas['PlannedDrafts'];
  };
  'POST /api/views': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      columns?: Array<string>;
      conditions?: Array<unknown>;
      display?: {
        figures?: Array<{
          fieldName: string;
          fn: 'sum' | 'avg' | 'min' | 'max' | 'none';
        }>;
        groupBy?: {
          fieldName: string;
          part?: 'year' | 'quarter' | 'month' | 'week' | 'day';
        };
        measure?: {
          fieldName: string;
          fn: 'sum' | 'avg' | 'min' | 'max';
        };
        pinned?: Array<string>;
        rows?: 'roomy';
        shape?: 'board' | 'calendar' | 'chart';
        widths?: Array<{
          fieldName: string;
          pixels: number;
        }>;
      };
      name: string;
      pageKey: string;
      scope?: 'private';
      sortFields?: Array<{
        fieldName: string;
        order: 'asc' | 'desc';
      }>;
    };
    data: Schemas['View'];
  };
  'POST /api/webhooks': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      description?: string | null;
      enabled?: boolean | null;
      eventType: string;
      filterExpression?: string | null;
      headers?: Record<string, unknown> | null;
      maxRetries?: number | null;
      modelCode?: string | null;
      name: string;
      ordering?: 'none' | 'record' | null;
      rateLimitPerSecond?: number | null;
      retryScheduleMs?: Array<number> | null;
      secret?: string | null;
      targetUrl: string;
      timeoutMs?: number | null;
    };
    data: {
      circuit: {
        failures: number;
        openUntil: string | null;
        state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
      };
      createdAt: string;
      createdBy: string;
      description: string | null;
      disabledReason: string | null;
      enabled: boolean;
      eventType: string;
      filterExpression: string | null;
      hasSecret: boolean;
      headers: Record<string, string> | null;
      maxRetries: number;
      modelCode: string | null;
      name: string;
      ordering: 'none' | 'record';
      ownedBy: string;
      paused: 'OWNER_INACTIVE' | 'OWNER_DEMOTED' | null;
      pid: string;
      rateLimitPerSecond: number | null;
      retryScheduleMs: Array<number> | null;
      secret?: string;
      targetUrl: string;
      timeoutMs: number;
      updatedAt: string;
      warnings: Array<string>;
    };
  };
  'POST /api/webhooks/deliveries/resend': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      pids: Array<string>;
    };
    data: {
      refused: Array<{
        pid: string;
        reason: 'NOT_FOUND' | 'DELETED' | 'PENDING';
      }>;
      resent: Array<string>;
    };
  };
  'POST /api/webhooks/deliveries/{pid}/cancel': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['WebhookDeliveryDetails'];
  };
  'POST /api/webhooks/deliveries/{pid}/resend': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['WebhookDeliveryDetails'];
  };
  'POST /api/webhooks/match': {
    params: Record<string, never>;
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      eventType: string;
      filterExpression?: string | null;
      modelCode?: string | null;
    };
    data: {
      events: Array<{
        createdAt: string;
        eventType: string;
        modelCode: string | null;
        pid: string;
        traceId: string;
      }>;
      looked: number;
      matched: number;
    };
  };
  'POST /api/webhooks/{pid}/adopt': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: null;
    data: Schemas['WebhookSubscription'];
  };
  'POST /api/webhooks/{pid}/disable': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      reason?: string | null;
    } & Record<string, unknown>;
    data: Schemas['WebhookSubscription'];
  };
  'POST /api/webhooks/{pid}/enable': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: Record<string, unknown>;
    data: Schemas['WebhookSubscription'];
  };
  'POST /api/webhooks/{pid}/recover': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      since: string;
      until?: string | null;
    };
    data: never;
    accepted: Schemas['WebhookRecovery'];
  };
  'POST /api/webhooks/{pid}/rotate-secret': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      overlapHours?: number;
      secret?: string;
    };
    data: {
      circuit: {
        failures: number;
        openUntil: string | null;
        state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
      };
      createdAt: string;
      createdBy: string;
      description: string | null;
      disabledReason: string | null;
      enabled: boolean;
      eventType: string;
      filterExpression: string | null;
      hasSecret: boolean;
      headers: Record<string, string> | null;
      maxRetries: number;
      modelCode: string | null;
      name: string;
      ordering: 'none' | 'record';
      ownedBy: string;
      paused: 'OWNER_INACTIVE' | 'OWNER_DEMOTED' | null;
      pid: string;
      rateLimitPerSecond: number | null;
      retryScheduleMs: Array<number> | null;
      secret: string;
      targetUrl: string;
      timeoutMs: number;
      updatedAt: string;
    };
  };
  'POST /api/webhooks/{pid}/test': {
    params: {
      pid: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      sample?: boolean;
    } & Record<string, unknown>;
    data: {
      delivered: boolean;
      durationMs: number;
      error: {
        errorClass: string;
        message: string;
      } | null;
      request: {
        body: string;
        headers: Record<string, string>;
      };
      response: {
        body: string;
        headers: Record<string, string>;
        truncated: boolean;
      } | null;
      statusCode: number | null;
    };
  };
  'PUT /api/admin/environments/{environment}/secrets/{name}': {
    params: {
      environment: string;
      name: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      value: string;
    } & Record<string, unknown>;
    data: {
      name: string;
      updatedAt: string;
      updatedBy: string | null;
      updatedByName: string | null;
    };
  };
  'PUT /api/im/channels/{channel}': {
    params: {
      channel: string;
    };
    query: Record<string, never>;
    headers: Record<string, never>;
    body: {
      replyUrl?: string | null;
      roles: Array<string>;
      secret?: string | null;
    };
    data: Schemas['ChannelBinding'];
  };
}

export interface Schemas {
  AppliedFiles: {
    changes: Array<{
      action: 'ADD' | 'UPDATE' | 'REMOVE';
      code: string;
      ddl: Array<string>;
      patch: Array<Record<string, unknown>>;
      pid: string;
      renamedFrom?: string;
      resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
      sourceVersion: number | null;
      targetVersion: number | null;
    }>;
    conflicts: Array<Schemas['Conflict']>;
    environment: string;
    needsPromotion: boolean;
    planHash: string;
    promotion: Schemas['Promotion'] | null;
    status: 'PLANNED' | 'UNCHANGED' | 'APPLIED' | 'WAITING';
    unmanaged: Array<{
      code: string;
      pid: string;
      resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
      version: number;
    }>;
    unowned: Array<{
      code: string;
      pid: string;
      resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
      version: number;
    }>;
  };
  Automation: {
    code: string;
    enabled: boolean;
    input: Array<(unknown) & (unknown) & (unknown)>;
    name: string;
    trigger: {
      type: 'manual' | 'event' | 'command' | 'schedule';
    };
    version: number;
  };
  AutomationRun: {
    automationCode: string;
    createdAt: string;
    error: {
      code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TENANT_FORBIDDEN' | 'NOT_FOUND' | 'RATE_LIMITED' | 'INTERNAL_ERROR' | 'METHOD_NOT_ALLOWED' | 'NOT_ACCEPTABLE' | 'EXPRESSION_LIMIT' | 'REQUEST_TIMEOUT' | 'HEADERS_TOO_LARGE' | 'FOUR_EYES_REQUIRED' | 'CONFLICT' | 'ENVIRONMENT_LOCKED' | 'PROMOTION_CONFLICT' | 'PROMOTION_STATE' | 'STALE_PLAN' | 'PRECONDITION_FAILED' | 'PRECONDITION_REQUIRED' | 'PAYLOAD_TOO_LARGE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'BAD_GATEWAY' | 'SERVICE_UNAVAILABLE';
      data: Record<string, unknown> | null;
      message: string;
    } | null;
    finishedAt: string | null;
    input: Record<string, unknown> | null;
    parentRunPid: string | null;
    runPid: string;
    startedAt: string | null;
    startedBy: {
      userPid: string;
      username: string;
    };
    status: 'PENDING' | 'RUNNING' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    traceId: string;
    trigger: 'manual' | 'event' | 'command' | 'schedule';
    version: number;
  };
  AutomationRunWithSteps: {
    automationCode: string;
    createdAt: string;
    error: {
      code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TENANT_FORBIDDEN' | 'NOT_FOUND' | 'RATE_LIMITED' | 'INTERNAL_ERROR' | 'METHOD_NOT_ALLOWED' | 'NOT_ACCEPTABLE' | 'EXPRESSION_LIMIT' | 'REQUEST_TIMEOUT' | 'HEADERS_TOO_LARGE' | 'FOUR_EYES_REQUIRED' | 'CONFLICT' | 'ENVIRONMENT_LOCKED' | 'PROMOTION_CONFLICT' | 'PROMOTION_STATE' | 'STALE_PLAN' | 'PRECONDITION_FAILED' | 'PRECONDITION_REQUIRED' | 'PAYLOAD_TOO_LARGE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'BAD_GATEWAY' | 'SERVICE_UNAVAILABLE';
      data: Record<string, unknown> | null;
      message: string;
    } | null;
    finishedAt: string | null;
    input: Record<string, unknown> | null;
    parentRunPid: string | null;
    runPid: string;
    startedAt: string | null;
    startedBy: {
      userPid: string;
      username: string;
    };
    status: 'PENDING' | 'RUNNING' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    stepCount: number;
    steps: Array<Schemas['AutomationStep']>;
    traceId: string;
    trigger: 'manual' | 'event' | 'command' | 'schedule';
    version: number;
  };
  AutomationStep: {
    approvers?: {
      role: string | null;
      user: string | null;
    };
    attempt: number;
    dueAt?: string;
    error: {
      code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TENANT_FORBIDDEN' | 'NOT_FOUND' | 'RATE_LIMITED' | 'INTERNAL_ERROR' | 'METHOD_NOT_ALLOWED' | 'NOT_ACCEPTABLE' | 'EXPRESSION_LIMIT' | 'REQUEST_TIMEOUT' | 'HEADERS_TOO_LARGE' | 'FOUR_EYES_REQUIRED' | 'CONFLICT' | 'ENVIRONMENT_LOCKED' | 'PROMOTION_CONFLICT' | 'PROMOTION_STATE' | 'STALE_PLAN' | 'PRECONDITION_FAILED' | 'PRECONDITION_REQUIRED' | 'PAYLOAD_TOO_LARGE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'BAD_GATEWAY' | 'SERVICE_UNAVAILABLE';
      data: Record<string, unknown> | null;
      message: string;
    } | null;
    finishedAt: string | null;
    id: string;
    iteration?: Array<number>;
    key: string;
    output?: unknown;
    startedAt: string | null;
    status: 'PENDING' | 'RUNNING' | 'RETRYING' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'SKIPPED' | 'CANCELLED';
    type: 'command' | 'query' | 'http' | 'webhook' | 'assistant' | 'condition' | 'branch' | 'forEach' | 'wait' | 'waitForEvent' | 'approval' | 'compensation';
  };
  ChannelBinding: {
    channel: string;
    createdAt: string;
    hasSecret: boolean;
    ownedBy: string;
    replyUrl: string | null;
    roles: Array<string>;
    subscriptionPid: string | null;
    suspended: 'OWNER_INACTIVE' | 'OWNER_DEMOTED' | null;
    updatedAt: string;
  };
  Conflict: {
    code: string;
    details: Record<string, unknown>;
    message: string;
    resolution: 'use_source' | 'keep_target' | 'skip' | null;
    resolutions: Array<'use_source' | 'keep_target' | 'skip'>;
    resourcePid: string;
    resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
    severity: 'blocking' | 'warning' | 'consent';
    type: 'OTHER_APPLICATION' | 'TARGET_NEWER' | 'FIELD_REVEALED' | 'VERSION_GAP' | 'DUPLICATE_CODE' | 'DELETED_IN_TARGET' | 'SECRET_MISSING' | 'RENAME_IMPOSSIBLE' | 'DESTRUCTIVE_SCHEMA' | 'IN_USE' | 'TABLE_REWRITE' | 'DATA_INCOMPATIBLE' | 'UNIQUE_LATER' | 'MISSING_DEPENDENCY' | 'REFERENCED_REMOVAL' | 'UNKNOWN_REFERENCE' | 'EXAMPLE_FAILED' | 'OVERLAPPING_PROMOTION';
  };
  Conversation: {
    assistant: string;
    channel?: string;
    conversationId: string;
    createdAt: string;
    title: string;
    updatedAt: string;
  };
  DeletedRecord: {
    deleted_at: string;
    deleted_by: string;
    expanded: {
      deleted_by: {
        pid: string;
        username: string;
      } | null;
    };
    id: string;
    pid: string;
    version: number;
  } & Record<string, unknown>;
  Envelope: {
    code: string;
    data: unknown;
    message: string;
  };
  Environment: {
    approvalPolicy: {
      expiresHours: number;
      minApprovals: number;
      selfApprove: boolean;
      unlockApproval: boolean;
    };
    code: string;
    id: number;
    lockReason: string | null;
    locked: boolean;
    lockedAt: string | null;
    lockedBy: string | null;
    lockedByName: string | null;
    metadataVersion: number;
    name: string;
    pendingPolicy: {
      approvalPolicy: {
        expiresHours: number;
        minApprovals: number;
        selfApprove: boolean;
        unlockApproval: boolean;
      };
      proposedAt: string;
      proposedBy: string;
      proposedByName: string;
      reason: string;
    } | null;
    pendingUnlock: {
      proposedAt: string;
      proposedBy: string;
      proposedByName: string;
      reason: string;
    } | null;
    pid: string;
    resourceCounts: Record<string, number>;
    writePolicy: 'open' | 'locked' | 'locked_with_approval';
  };
  EnvironmentExportData: {
    checksum: string;
    environment: string;
    formatVersion: 1;
    resources: Array<Schemas['SnapshotEntry']>;
  };
  Execution: {
    batchPid: string | null;
    commandCode: string;
    error: {
      code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TENANT_FORBIDDEN' | 'NOT_FOUND' | 'RATE_LIMITED' | 'INTERNAL_ERROR' | 'METHOD_NOT_ALLOWED' | 'NOT_ACCEPTABLE' | 'EXPRESSION_LIMIT' | 'REQUEST_TIMEOUT' | 'HEADERS_TOO_LARGE' | 'FOUR_EYES_REQUIRED' | 'CONFLICT' | 'ENVIRONMENT_LOCKED' | 'PROMOTION_CONFLICT' | 'PROMOTION_STATE' | 'STALE_PLAN' | 'PRECONDITION_FAILED' | 'PRECONDITION_REQUIRED' | 'PAYLOAD_TOO_LARGE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'BAD_GATEWAY' | 'SERVICE_UNAVAILABLE';
      data: Record<string, unknown> | null;
      message: string;
    } | null;
    finishedAt: string | null;
    pid: string;
    result: unknown;
    startedAt: string;
    status: 'RECEIVED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    workflowId: string;
  };
  ExecutionDetails: {
    batchPid: string | null;
    changes: Array<{
      action: 'CREATE' | 'UPDATE' | 'DELETE' | 'RESTORE';
      changes: Record<string, {
        from: unknown;
        to: unknown;
      }>;
      modelCode: string;
      recordPid: string;
    }>;
    commandCode: string;
    error: {
      code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TENANT_FORBIDDEN' | 'NOT_FOUND' | 'RATE_LIMITED' | 'INTERNAL_ERROR' | 'METHOD_NOT_ALLOWED' | 'NOT_ACCEPTABLE' | 'EXPRESSION_LIMIT' | 'REQUEST_TIMEOUT' | 'HEADERS_TOO_LARGE' | 'FOUR_EYES_REQUIRED' | 'CONFLICT' | 'ENVIRONMENT_LOCKED' | 'PROMOTION_CONFLICT' | 'PROMOTION_STATE' | 'STALE_PLAN' | 'PRECONDITION_FAILED' | 'PRECONDITION_REQUIRED' | 'PAYLOAD_TOO_LARGE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'BAD_GATEWAY' | 'SERVICE_UNAVAILABLE';
      data: Record<string, unknown> | null;
      message: string;
    } | null;
    events: Array<{
      eventType: string;
      pid: string;
    }>;
    finishedAt: string | null;
    pid: string;
    result: unknown;
    startedAt: string;
    status: 'RECEIVED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    traceId: string;
    workflowId: string;
  };
  File: {
    contentType: string;
    createdAt: string;
    name: string;
    pid: string;
    sha256: string;
    size: number;
  };
  Health: {
    components: Record<string, {
      details?: Record<string, unknown>;
      status: 'UP' | 'DOWN';
      warning?: string;
    }>;
    status: 'UP' | 'DOWN';
  };
  HealthReport: {
    code: string;
    components: Record<string, {
      details?: Record<string, unknown>;
      status: 'UP' | 'DOWN';
      warning?: string;
    }>;
    data: Schemas['Health'];
    message: string;
    status: 'UP' | 'DOWN';
  };
  HistoryEntry: {
    action: 'CREATE' | 'UPDATE' | 'DELETE' | 'RESTORE';
    actor: {
      userPid: string;
      username: string | null;
    };
    at: string;
    changes: Record<string, {
      from: unknown;
      to: unknown;
    }>;
    commandCode: string | null;
    executionPid: string | null;
    traceId: string | null;
    version: number;
  };
  Import: {
    commands: Record<string, string>;
    created: number;
    createdAt: string;
    delimiter: string | null;
    done: number;
    dryRun: boolean;
    error: {
      code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TENANT_FORBIDDEN' | 'NOT_FOUND' | 'RATE_LIMITED' | 'INTERNAL_ERROR' | 'METHOD_NOT_ALLOWED' | 'NOT_ACCEPTABLE' | 'EXPRESSION_LIMIT' | 'REQUEST_TIMEOUT' | 'HEADERS_TOO_LARGE' | 'FOUR_EYES_REQUIRED' | 'CONFLICT' | 'ENVIRONMENT_LOCKED' | 'PROMOTION_CONFLICT' | 'PROMOTION_STATE' | 'STALE_PLAN' | 'PRECONDITION_FAILED' | 'PRECONDITION_REQUIRED' | 'PAYLOAD_TOO_LARGE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'BAD_GATEWAY' | 'SERVICE_UNAVAILABLE';
      data: Record<string, unknown> | null;
      message: string;
    } | null;
    errorFilePid: string | null;
    failed: number;
    failedRowsFilePid: string | null;
    filePid: string;
    finishedAt: string | null;
    format: 'csv' | 'xlsx' | 'ndjson';
    mapping: Record<string, string>;
    matchOn: string | null;
    mode: 'create' | 'update' | 'upsert';
    pageKey: string;
    pid: string;
    startedAt: string | null;
    status: 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    total: number | null;
    updated: number;
    userPid: string;
    username: string;
  };
  LoggedWebhookDelivery: {
    attemptCount: number;
    createdAt: string;
    eventPid: string;
    eventType: string;
    finishedAt: string | null;
    lastAttempt: {
      durationMs: number | null;
      errorClass: string | null;
      statusCode: number | null;
    } | null;
    maxAttempts: number;
    modelCode: string | null;
    nextAttemptAt: string | null;
    pid: string;
    reason: string | null;
    status: 'PENDING' | 'RETRYING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    subscriptionName: string;
    subscriptionPid: string;
    targetUrl: string;
    traceId: string;
  };
  LoginResult: {
    expiresAt: string;
    jwt: string;
    refreshExpiresAt: string;
    refreshToken?: string;
    tenantId: string;
    tenantStatus: 'member' | 'suspended';
    userId: string;
    userPid: string;
    username: string;
  };
  OperationsNode: {
    commit: string | null;
    host: string;
    minutes: Array<{
      at: string;
      commands: number;
      errors: number;
      p95Ms: number | null;
      requests: number;
      webhookAttempts: number;
    }>;
    pid: number;
    roles: Array<string>;
    seenAt: string;
    startedAt: string;
    version: string;
  };
  Plan: {
    hash: string;
    items: Array<{
      action: 'ADD' | 'UPDATE' | 'REMOVE';
      code: string;
      contentHash: string | null;
      ddl: Array<string>;
      pid: string;
      renamedFrom?: string;
      resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
      sourceVersion: number | null;
      targetVersion: number | null;
    }>;
    sealedAt: string;
  };
  PlannedDrafts: {
    changes: Array<{
      action: 'ADD' | 'UPDATE' | 'REMOVE';
      code: string;
      ddl: Array<string>;
      patch: Array<Record<string, unknown>>;
      pid: string;
      renamedFrom?: string;
      resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
      sourceVersion: number | null;
      table: {
        isEstimate: boolean;
        lock: 'share' | 'share row exclusive' | 'access exclusive' | null;
        rows: number | null;
        steps: Array<{
          isLater: boolean;
          statement: string;
        }>;
      } | null;
      targetVersion: number | null;
    }>;
    conflicts: Array<Schemas['Conflict']>;
    environment: string;
    lockReason: string | null;
    needsPromotion: boolean;
    planHash: string;
  };
  Promotion: {
    appliedAt: string | null;
    appliedBy: string | null;
    appliedReason: string | null;
    applyAt: string | null;
    approvals: Array<{
      comment: string | null;
      createdAt: string;
      pid: string;
      userPid: string;
      username: string;
      valid: boolean;
    }>;
    autoInclude: boolean;
    conflicts: Array<Schemas['Conflict']>;
    createdAt: string;
    createdBy: string;
    createdByName: string;
    failureReason: string | null;
    pid: string;
    plan: Schemas['Plan'] | null;
    resolutions: Array<{
      resolution: 'use_source' | 'keep_target' | 'skip';
      resourcePid: string;
      type: 'OTHER_APPLICATION' | 'TARGET_NEWER' | 'FIELD_REVEALED' | 'VERSION_GAP' | 'DUPLICATE_CODE' | 'DELETED_IN_TARGET' | 'SECRET_MISSING' | 'RENAME_IMPOSSIBLE' | 'DESTRUCTIVE_SCHEMA' | 'IN_USE' | 'TABLE_REWRITE' | 'DATA_INCOMPATIBLE' | 'UNIQUE_LATER' | 'MISSING_DEPENDENCY' | 'REFERENCED_REMOVAL' | 'UNKNOWN_REFERENCE' | 'EXAMPLE_FAILED' | 'OVERLAPPING_PROMOTION';
    }>;
    rollbackOf: string | null;
    soak: {
      maxErrorRate: number;
      minCommands: number;
      reason: string | null;
      rollbackPid: string | null;
      seconds: number;
      seen: {
        away?: Array<string>;
        commands: number;
        down: Array<string>;
        failed: number;
      } | null;
      seenAt: string | null;
      status: 'WATCHING' | 'PASSED' | 'ROLLING_BACK' | 'ROLLED_BACK' | 'ROLLBACK_FAILED';
      unhealthyLooks: number;
      until: string;
    } | null;
    source: string | null;
    sourceEnvId: number | null;
    status: 'DRAFT' | 'VALIDATED' | 'APPLIED' | 'FAILED' | 'REJECTED' | 'CANCELLED' | 'EXPIRED';
    target: string;
    targetEnvId: number;
    units: Array<{
      resourcePid: string;
      resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
      version?: number;
    }> | '*';
  };
  PromotionChange: {
    action: 'ADD' | 'UPDATE' | 'REMOVE';
    changedSince: boolean;
    code: string;
    inPlan: boolean;
    pid: string;
    renamedFrom?: string;
    resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
    sourceVersion: number | null;
    targetVersion: number | null;
  };
  Record: {
    id: string;
    pid: string;
  } & Record<string, unknown>;
  RecordList: {
    nextCursor: string | null;
    pageNum: number | null;
    pageSize: number;
    records: Array<Schemas['Record']>;
    total: number | null;
    totalRelation?: 'eq' | 'gte';
  };
  RemovedFields: {
    columnsMade: number;
    fields: Array<{
      code: string;
      column: string;
      values: number | null;
    }>;
    modelCode: string;
    rewrite: {
      megabytes: number;
      seconds: number;
    } | null;
  };
  Resource: {
    code: string;
    content: Record<string, unknown>;
    pid: string;
    resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
    updatedAt: string;
    updatedBy: string | null;
    updatedByName: string | null;
    version: number;
  };
  ResourceDifference: {
    application: string | null;
    code: string;
    ddl: Array<string>;
    patch: Array<Record<string, unknown>>;
    pid: string;
    renamedFrom?: string;
    resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
    sourceVersion: number | null;
    targetVersion: number | null;
  };
  ServiceAccount: {
    createdAt: string;
    createdBy: string;
    keys: Array<{
      createdAt: string;
      createdBy: string;
      expiresAt: string | null;
      lastUsedAt: string | null;
      ownedBy: string;
      pid: string;
      prefix: string;
      scopes: Array<string>;
      suspended: 'OWNER_INACTIVE' | 'OWNER_DEMOTED' | null;
    }>;
    name: string;
    pid: string;
    tenantId: string;
  };
  SnapshotEntry: {
    code: string;
    content: Record<string, unknown>;
    pid: string;
    resourceType: 'MODEL' | 'PAGE_SCHEMA' | 'COMMAND' | 'PERMISSION' | 'DATASOURCE' | 'VIEW' | 'I18N' | 'AUTOMATION' | 'ASSISTANT' | 'IM_CHANNEL' | 'DASHBOARD';
    version: number;
  };
  TableBuild: {
    attempts: number;
    createdAt: string;
    failure: string | null;
    fieldCode: string;
    finishedAt: string | null;
    kind: 'INDEX' | 'UNIQUE_INDEX' | 'NOT_NULL' | 'COMPUTED';
    modelCode: string;
    pid: string;
    progress: {
      percent: number | null;
      phase: string;
    } | null;
    startedAt: string | null;
    statement: string;
    status: 'QUEUED' | 'BUILDING' | 'DONE' | 'FAILED' | 'CANCELLED';
  };
  Tenant: {
    createdAt: string;
    name: string;
    pid: string;
    status: 'active' | 'suspended';
    tenantId: string;
    timeZone: string;
  };
  Trace: {
    events: Array<{
      deliveries: Array<{
        attemptCount: number;
        createdAt: string;
        finishedAt: string | null;
        pid: string;
        status: string;
        subscriptionPid: string;
      }>;
      eventType: string;
      pid: string;
      runs: Array<{
        automationCode: string;
        createdAt: string;
        events: Array<Record<string, unknown>>;
        executions: Array<Record<string, unknown>>;
        finishedAt: string | null;
        runPid: string;
        status: string;
      }>;
    }>;
    executions: Array<{
      batchPid: string | null;
      changes: Array<{
        action: 'CREATE' | 'UPDATE' | 'DELETE' | 'RESTORE';
        changes: Record<string, {
          from: unknown;
          to: unknown;
        }>;
        modelCode: string;
        recordPid: string;
      }>;
      commandCode: string;
      error: {
        code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TENANT_FORBIDDEN' | 'NOT_FOUND' | 'RATE_LIMITED' | 'INTERNAL_ERROR' | 'METHOD_NOT_ALLOWED' | 'NOT_ACCEPTABLE' | 'EXPRESSION_LIMIT' | 'REQUEST_TIMEOUT' | 'HEADERS_TOO_LARGE' | 'FOUR_EYES_REQUIRED' | 'CONFLICT' | 'ENVIRONMENT_LOCKED' | 'PROMOTION_CONFLICT' | 'PROMOTION_STATE' | 'STALE_PLAN' | 'PRECONDITION_FAILED' | 'PRECONDITION_REQUIRED' | 'PAYLOAD_TOO_LARGE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'BAD_GATEWAY' | 'SERVICE_UNAVAILABLE';
        message: string;
      } | null;
      events: Array<{
        deliveries: Array<{
          attemptCount: number;
          createdAt: string;
          finishedAt: string | null;
          pid: string;
          status: string;
          subscriptionPid: string;
        }>;
        eventType: string;
        pid: string;
        runs: Array<{
          automationCode: string;
          createdAt: string;
          events: Array<Record<string, unknown>>;
          executions: Array<Record<string, unknown>>;
          finishedAt: string | null;
          runPid: string;
          status: string;
        }>;
      }>;
      finishedAt: string | null;
      operation: 'CREATE' | 'UPDATE' | 'UPSERT' | 'DELETE' | 'CUSTOM' | 'BATCH';
      pid: string;
      startedAt: string;
      status: 'RECEIVED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
      targetRecordId: string | null;
      traceId: string;
      userPid: string;
      username: string;
      workflowId: string;
    }>;
    runs: Array<{
      automationCode: string;
      createdAt: string;
      events: Array<Record<string, unknown>>;
      executions: Array<Record<string, unknown>>;
      finishedAt: string | null;
      runPid: string;
      status: string;
    }>;
    traceId: string;
    truncated: boolean;
  };
  Transcript: {
    assistant: string;
    channel?: string;
    conversationId: string;
    createdAt: string;
    messages: Array<{
      createdAt: string;
      messageId: string;
      role: 'user';
      sender?: string;
      text: string;
    } | {
      confirmations: Array<{
        commandCode: string;
        confirmationId: string;
        status: 'OPEN' | 'CONFIRMED' | 'DECLINED' | 'EXPIRED';
        summary: string;
      }>;
      createdAt: string;
      error: {
        code: 'VALIDATION_ERROR' | 'UNAUTHORIZED' | 'FORBIDDEN' | 'TENANT_FORBIDDEN' | 'NOT_FOUND' | 'RATE_LIMITED' | 'INTERNAL_ERROR' | 'METHOD_NOT_ALLOWED' | 'NOT_ACCEPTABLE' | 'EXPRESSION_LIMIT' | 'REQUEST_TIMEOUT' | 'HEADERS_TOO_LARGE' | 'FOUR_EYES_REQUIRED' | 'CONFLICT' | 'ENVIRONMENT_LOCKED' | 'PROMOTION_CONFLICT' | 'PROMOTION_STATE' | 'STALE_PLAN' | 'PRECONDITION_FAILED' | 'PRECONDITION_REQUIRED' | 'PAYLOAD_TOO_LARGE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'BAD_GATEWAY' | 'SERVICE_UNAVAILABLE';
        message: string;
      } | null;
      finishedAt: string | null;
      messageId: string;
      records: Array<{
        modelCode: string;
        pid: string;
      }>;
      role: 'assistant';
      sender?: string;
      status: 'PENDING' | 'RUNNING' | 'WAITING' | 'COMPLETED' | 'FAILED' | 'STOPPED';
      text: string;
      tools: Array<string>;
    }>;
    title: string;
    updatedAt: string;
  };
  User: {
    createdAt: string;
    email: string;
    memberships: Array<{
      roles: Array<string>;
      tenantId: string;
      tenantName: string;
    }>;
    pid: string;
    status: 'active' | 'disabled';
    userId: string;
    username: string;
  };
  View: {
    columns: Array<string>;
    conditions: Array<unknown>;
    display: {
      figures?: Array<{
        fieldName: string;
        fn: 'sum' | 'avg' | 'min' | 'max' | 'none';
      }>;
      groupBy?: {
        fieldName: string;
        part?: 'year' | 'quarter' | 'month' | 'week' | 'day';
      };
      measure?: {
        fieldName: string;
        fn: 'sum' | 'avg' | 'min' | 'max';
      };
      pinned?: Array<string>;
      rows?: 'roomy';
      shape?: 'board' | 'calendar' | 'chart';
      widths?: Array<{
        fieldName: string;
        pixels: number;
      }>;
    };
    name: string;
    pageKey: string;
    pid: string;
    role?: string;
    scope: 'private' | 'role' | 'public';
    sortFields: Array<{
      fieldName: string;
      order: 'asc' | 'desc';
    }>;
  };
  WaitingApproval: {
    automationCode: string;
    due: string | null;
    mayDecide: boolean;
    message: unknown;
    record: {
      modelCode: string;
      pid: string;
    } | null;
    runPid: string;
    since: string;
    step: string;
  };
  WebhookDelivery: {
    attemptCount: number;
    createdAt: string;
    eventPid: string;
    eventType: string;
    finishedAt: string | null;
    modelCode: string | null;
    nextAttemptAt: string | null;
    pid: string;
    reason: string | null;
    status: 'PENDING' | 'RETRYING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    subscriptionPid: string;
    traceId: string;
  };
  WebhookDeliveryDetails: {
    attemptCount: number;
    attempts: Array<{
      durationMs: number | null;
      errorClass: string | null;
      errorMessage: string | null;
      finishedAt: string | null;
      ip: string | null;
      nextAttemptAt: string | null;
      number: number;
      responseBody: string | null;
      responseHeaders: Record<string, string> | null;
      responseTruncated: boolean | null;
      startedAt: string;
      statusCode: number | null;
      trigger: 'event' | 'retry' | 'resend' | 'recover';
    }>;
    body: string | null;
    createdAt: string;
    eventPid: string;
    eventType: string;
    finishedAt: string | null;
    modelCode: string | null;
    nextAttemptAt: string | null;
    pid: string;
    reason: string | null;
    request: {
      headers: Record<string, string>;
      url: string;
    };
    status: 'PENDING' | 'RETRYING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    subscriptionPid: string;
    traceId: string;
  };
  WebhookRecovery: {
    createdAt: string;
    createdBy: string;
    finishedAt: string | null;
    pid: string;
    resent: number;
    since: string;
    status: 'RUNNING' | 'DONE' | 'CANCELLED';
    subscriptionPid: string;
    total: number;
    until: string;
  };
  WebhookSubscription: {
    circuit: {
      failures: number;
      openUntil: string | null;
      state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
    };
    createdAt: string;
    createdBy: string;
    description: string | null;
    disabledReason: string | null;
    enabled: boolean;
    eventType: string;
    filterExpression: string | null;
    hasSecret: boolean;
    headers: Record<string, string> | null;
    maxRetries: number;
    modelCode: string | null;
    name: string;
    ordering: 'none' | 'record';
    ownedBy: string;
    paused: 'OWNER_INACTIVE' | 'OWNER_DEMOTED' | null;
    pid: string;
    rateLimitPerSecond: number | null;
    retryScheduleMs: Array<number> | null;
    targetUrl: string;
    timeoutMs: number;
    updatedAt: string;
  };
}

export interface Errors {
  BAD_GATEWAY: Record<string, unknown> | null;
  CONFLICT: {
    reason: string;
  } & Record<string, unknown>;
  ENVIRONMENT_LOCKED: {
    reason: string;
  } & Record<string, unknown>;
  EXPRESSION_LIMIT: {
    column: number;
    line: number;
    maxSteps: number;
    path: string;
  };
  FORBIDDEN: {
    fieldErrors?: Record<string, string>;
    path?: string;
    permission?: string;
    reason?: string;
  };
  FOUR_EYES_REQUIRED: Record<string, unknown> | null;
  HEADERS_TOO_LARGE: null;
  INTERNAL_ERROR: {
    traceId: string | null;
  };
  METHOD_NOT_ALLOWED: null;
  NOT_ACCEPTABLE: null;
  NOT_FOUND: {
    path: string;
  } | null;
  PAYLOAD_TOO_LARGE: null;
  PRECONDITION_FAILED: {
    record?: Record<string, unknown>;
    version: number;
  };
  PRECONDITION_REQUIRED: null;
  PROMOTION_CONFLICT: {
    conflicts?: Array<Record<string, unknown>>;
    promotionPid?: string;
  } & Record<string, unknown>;
  PROMOTION_STATE: {
    status: string;
  };
  RANGE_NOT_SATISFIABLE: {
    size: number;
  };
  RATE_LIMITED: {
    limit?: number;
    retryAfterSeconds: number;
  };
  REQUEST_TIMEOUT: null;
  SERVICE_UNAVAILABLE: Record<string, unknown> | null;
  STALE_PLAN: {
    reason: string;
  } & Record<string, unknown> | null;
  TENANT_FORBIDDEN: {
    reason: string;
  } & Record<string, unknown> | null;
  UNAUTHORIZED: null;
  UNSUPPORTED_MEDIA_TYPE: null;
  VALIDATION_ERROR: {
    fieldErrors: Record<string, string>;
  };
}
