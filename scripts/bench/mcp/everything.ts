import {fileURLToPath} from 'node:url';

/** The official test server. */
export const everything = fileURLToPath(
	import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'),
);
