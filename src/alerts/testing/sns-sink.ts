import type { SinkAnswer } from '../../testing/http/sink.ts';

/** SNS's answer to an accepted message. */
export const PUBLISHED: SinkAnswer = {
  headers: { 'content-type': 'text/xml' },
  body:
    '<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult><MessageId>m-1</MessageId>' +
    '</PublishResult><ResponseMetadata><RequestId>r-1</RequestId></ResponseMetadata></PublishResponse>',
};
