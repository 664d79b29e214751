/** How a message is posted from elsewhere, line by line; `base` is the server's URL with its final slash. */
export function recipesOf(slug: string, base: string, hasSignIn: boolean) {
  const url = base === 'http://127.0.0.1:8065/' ? '' : ` --url ${base}`;
  const token = hasSignIn ? ' -H "Authorization: Bearer $OPSDECK_ROOMS_TOKEN"' : '';
  return [
    ...(hasSignIn ? [['empty.token', 'export OPSDECK_ROOMS_TOKEN=odr_…'] as const] : []),
    ['empty.terminal', `opsdeck rooms say ${slug} "hello"${url}`],
    ['empty.build', `make test 2>&1 | opsdeck rooms say ${slug} --code${url}`],
    ['empty.http', `curl${token} -H 'Content-Type: text/plain' -d 'deploy done' ${base}api/room/${slug}/message`],
  ] as const;
}
