/** The version of package.json, put in by the build. */
declare const OPSDECK_VERSION: string;
/** When and from which commit the executable was built; the commit is empty outside a checkout. */
declare const OPSDECK_BUILD: { readonly date: string; readonly revision: string; readonly branch: string };

/** Sample files travel inside the executable as text. */
declare module '*.yml' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: esbuild's text loader gives a default export
  export default text;
}

/** The page of a folder of web/, bundled and compressed by the build; see kernel/assets.ts. */
declare module 'virtual:web/*' {
  import type { PageFiles } from './kernel/http/assets.ts';
  export const page: PageFiles;
}

/** The default templates travel inside the executable as text. */
declare module '*.tmpl' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: esbuild's text loader gives a default export
  export default text;
}

/** Sample data travels inside the executable as text. */
declare module '*.csv' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: esbuild's text loader gives a default export
  export default text;
}
