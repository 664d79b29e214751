import type * as v from 'valibot';
import { OPERATIONS, type Operation } from './operations.ts';
import { jsonSchemaOf } from './schema.ts';

/** Mounted paths (`/api/room/:id`) with the methods of each. */
export type MountedPaths = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const NO_TOKEN = new Set(['/health', '/metrics', '/version', '/openapi.json', '/']);
const ERROR = { $ref: '#/components/responses/Error' };

/** The OpenAPI document of the paths that are mounted. Source: OpenAPI 3.1.1. */
export function describeApi(paths: MountedPaths, version: string): object {
  const described: Record<string, object> = {};
  for (const [path, handlers] of Object.entries(paths)) {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
    const operations = Object.keys(handlers).map((method) => [
      method.toLowerCase(),
      describeOperation(method, path, names),
    ]);
    described[path.replace(/:(\w+)/g, '{$1}')] = {
      ...(names.length === 0 ? {} : { parameters: names.map(pathParameter) }),
      ...Object.fromEntries(operations),
    };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'opsdeck rooms',
      version,
      description: 'Rooms and messages. Times are RFC 3339 in UTC; refusals are a JSON string with X-Error-Code.',
    },
    security: [{ token: [] }, { session: [] }, {}],
    paths: described,
    components: COMPONENTS,
  };
}

function describeOperation(method: string, path: string, names: readonly string[]): object {
  const operation: Operation = OPERATIONS[`${method} ${path}`] ?? impliedOperation(method, path);
  const id = `${method.toLowerCase()}${path.replace(/[/:.]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`;
  const query = (operation.query ?? []).map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
  return {
    operationId: id,
    summary: operation.summary,
    ...(query.length === 0 ? {} : { parameters: query }),
    ...(operation.body ? { requestBody: bodyOf(operation) } : {}),
    ...(NO_TOKEN.has(path) || names.includes('secret') ? { security: [{}] } : {}),
    responses: {
      [String(operation.status ?? (method === 'OPTIONS' ? 204 : 200))]: {
        description: operation.result ?? 'done',
        ...(operation.stream ? { content: { 'text/event-stream': {} } } : {}),
      },
      default: ERROR,
    },
  };
}

function impliedOperation(method: string, path: string): Operation {
  if (method === 'OPTIONS') return { summary: `The methods of ${path}`, result: 'Allow names them' };
  const get = method === 'HEAD' ? OPERATIONS[`GET ${path}`] : undefined;
  return { summary: get ? `${get.summary}: the headers alone` : `${method} ${path}` };
}

function bodyOf({ body, text }: Operation): object {
  return {
    required: true,
    content: {
      'application/json': { schema: jsonSchemaOf(body as v.GenericSchema) },
      ...(text ? { 'text/plain': { schema: { type: 'string' } } } : {}),
    },
  };
}

const pathParameter = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });

const COMPONENTS = {
  securitySchemes: {
    token: { type: 'http', scheme: 'bearer', bearerFormat: 'odr_…' },
    session: { type: 'apiKey', in: 'cookie', name: 'opsdeck_session' },
  },
  responses: {
    Error: {
      description: 'Why it was refused; X-Error-Code holds the word for machines.',
      headers: {
        'X-Error-Code': { schema: { type: 'string' } },
        'X-Request-Id': { schema: { type: 'string' } },
      },
      content: {
        'application/json': { schema: { type: 'string' } },
        'application/problem+json': {
          schema: {
            type: 'object',
            properties: Object.fromEntries(
              ['type', 'title', 'detail', 'instance', 'code'].map((name) => [name, { type: 'string' }]),
            ),
          },
        },
      },
    },
  },
};
