import { Readable } from 'node:stream';
import type { DynamoDB, DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../../kernel/clock.ts';
import { withDeadline } from '../../../kernel/deadline.ts';
import type { HttpAnswer } from '../../../kernel/http-client/exchange.ts';
import type { HttpRequest, SendsRequests } from '../../../kernel/http-client/http-client.ts';
import type { DynamoDbOptions } from '../options.ts';

type Handler = Extract<DynamoDBClientConfig['requestHandler'], { handle: unknown }>;
type AwsRequest = Parameters<Handler['handle']>[0];
type AwsResponse = Awaited<ReturnType<Handler['handle']>>['response'];

export interface DynamoDbParts {
  readonly http: SendsRequests;
  readonly clock: Clock;
}

/** For one attempt of a request, of which there are three. */
const REQUEST_TIMEOUT_MS = 3000;
/** DynamoDB answers with at most 16 MB; JSON escapes take more. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20;
/** The headers of an answer that the AWS client reads. */
const READ_HEADERS = ['content-type', 'date', 'retry-after', 'x-amzn-requestid', 'x-amzn-errortype', 'x-amz-crc32'];

/**
 * A client of DynamoDB, with region and credentials from AWS's usual places. Its requests end within ten seconds. The client
 * needs no closing.
 */
export async function openDynamoDb({ url }: DynamoDbOptions, parts: DynamoDbParts): Promise<DynamoDB> {
  // It would warn about supported versions of Node.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const { DynamoDB } = await import('@aws-sdk/client-dynamodb');
  return new DynamoDB({
    requestHandler: handlerOver(parts),
    maxAttempts: 3,
    ...(url === undefined ? {} : { endpoint: url }),
  });
}

/** Sends the AWS client's signed requests, and those for credentials, by the HTTP client. */
function handlerOver({ http, clock }: DynamoDbParts): Handler {
  const handle = async (request: AwsRequest) => {
    const answer = await withDeadline({ clock, ms: REQUEST_TIMEOUT_MS }, (signal) =>
      http.send({ ...toRequest(request), signal, maxBytes: MAX_ANSWER_BYTES }),
    );
    return { response: toResponse(answer) };
  };
  return { handle } as Handler;
}

function toRequest({ method, protocol, hostname, port, path, query, headers, body }: AwsRequest): HttpRequest {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
  for (const [name, value] of Object.entries(query))
    for (const one of [value ?? ''].flat() as string[]) url.searchParams.append(name, one);
  // The HTTP client sets these itself.
  const { host: _host, 'content-length': _length, ...others } = headers;
  return { method, url, headers: others, ...(body === undefined ? {} : { body: body as string | Uint8Array }) };
}

function toResponse({ status, headers, bytes }: HttpAnswer): AwsResponse {
  const found = READ_HEADERS.map((name) => [name, headers.get(name)] as const).filter(([, value]) => value !== null);
  return { statusCode: status, headers: Object.fromEntries(found), body: Readable.from([bytes]) } as AwsResponse;
}
