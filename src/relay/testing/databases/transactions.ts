type Send = (operation: string, input: object) => Promise<{ readonly status: number; readonly text: string }>;

interface Condition {
  readonly TableName: string;
  readonly Key: Readonly<Record<string, { readonly S: string }>>;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, object>>;
}

interface TransactionItem {
  readonly ConditionCheck?: Condition;
  readonly Update?: Condition;
}

const MAX_ITEMS = 100;

/** TransactWriteItems by other operations, for condition checks and updates. The caller lets no other operation through. */
export async function runTransaction(input: object, send: Send): ReturnType<Send> {
  const { TransactItems: items } = input as { readonly TransactItems: readonly TransactionItem[] };
  const keys = items.map(({ ConditionCheck: check, Update: update }) => JSON.stringify((check ?? update)?.Key));
  if (items.length > MAX_ITEMS) return fault('ValidationException', { message: 'too many items' });
  if (new Set(keys).size < keys.length)
    return fault('ValidationException', {
      message: 'Transaction request cannot include multiple operations on one item',
    });
  const reasons = [];
  for (const { ConditionCheck: check, Update: update } of items) {
    const condition = check ?? update;
    reasons.push({ Code: !condition || (await holds(condition, send)) ? 'None' : 'ConditionalCheckFailed' });
  }
  if (reasons.some(({ Code }) => Code !== 'None'))
    return fault('TransactionCanceledException', { Message: 'Transaction cancelled', CancellationReasons: reasons });
  for (const { Update: update } of items) {
    const answer = update && (await send('UpdateItem', update));
    if (answer && answer.status !== 200) throw new Error(`an update in a transaction failed: ${answer.text}`);
  }
  return { status: 200, text: '{}' };
}

/** dynalite checks a condition as the filter of a query, which finds nothing if the item does not exist. */
async function holds(condition: Condition, send: Send): Promise<boolean> {
  const { TableName, Key, ConditionExpression: filter } = condition;
  if (filter === undefined) return true;
  const item = await send('GetItem', { TableName, Key, ConsistentRead: true });
  if (item.text === '{}') return filter.startsWith('attribute_not_exists');
  const { text } = await send('Query', {
    TableName,
    ConsistentRead: true,
    KeyConditionExpression: '#namespace = :namespace AND #key = :key',
    FilterExpression: filter,
    ExpressionAttributeNames: {
      ...usedIn(filter, condition.ExpressionAttributeNames),
      '#namespace': 'namespace',
      '#key': 'key',
    },
    ExpressionAttributeValues: {
      ...usedIn(filter, condition.ExpressionAttributeValues),
      ':namespace': Key.namespace,
      ':key': Key.key,
    },
  });
  return (JSON.parse(text) as { readonly Count: number }).Count === 1;
}

/** DynamoDB refuses names and values that an expression does not use. */
function usedIn<T>(expression: string, values: Readonly<Record<string, T>> = {}): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => expression.includes(name)));
}

function fault(type: string, details: object) {
  return { status: 400, text: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, ...details }) };
}
