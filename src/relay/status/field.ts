/**
 * A possible field of the status document: a value, a list, an object with these fields, or an object with any names.
 */
export type StatusField =
  | 'value'
  | { readonly items: StatusField }
  | { readonly fields: Readonly<Record<string, StatusField>> }
  | { readonly anyName: StatusField };

const values = <Name extends string>(...names: readonly Name[]): Readonly<Record<Name, 'value'>> =>
  Object.fromEntries(names.map((name) => [name, 'value'])) as Record<Name, 'value'>;

const CONNECTION: StatusField = {
  fields: { ...values('state', 'stateSince'), lastError: { fields: values('kind', 'time', 'statusCode') } },
};

/** The document of one environment. */
export const ENVIRONMENT_FIELDS: StatusField = {
  fields: {
    ...values('sdkKey', 'envId', 'envKey', 'envName', 'projKey', 'projName', 'mobileKey', 'expiringSdkKey', 'status'),
    additionalSdkKeys: { items: 'value' },
    additionalMobileKeys: { items: 'value' },
    connectionStatus: CONNECTION,
    dataStoreStatus: { fields: values('state', 'stateSince', 'database', 'dbServer', 'dbPrefix', 'dbTable') },
    bigSegmentStatus: { fields: values('available', 'potentiallyStale', 'lastSynchronizedOn') },
  },
};

/** The whole document. */
export const STATUS_FIELDS: StatusField = {
  fields: {
    environments: { anyName: ENVIRONMENT_FIELDS },
    autoConfigStatus: CONNECTION,
    ...values('status', 'version', 'clientVersion'),
  },
};
