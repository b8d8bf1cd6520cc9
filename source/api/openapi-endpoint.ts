import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {endpoint, type Endpoint} from './http/endpoint.ts';

/** Beside the manual: in the sources, and in the bundle. */
const places = ['../manual/openapi.yaml', './manual/openapi.yaml'];

/** `GET /openapi.yaml`, without a key. @see manual/chat-api.md#endpoints */
export const openApiEndpoint = (): Endpoint =>
	endpoint({
		method: 'GET',
		path: '/openapi.yaml',
		prepare: () => undefined,
		async serve() {
			const file = places
				.map(place => fileURLToPath(new URL(place, import.meta.url)))
				.find(existsSync);
			if (file === undefined) {
				throw new Error('The file openapi.yaml is missing in this installation');
			}

			return {text: await readFile(file, 'utf8'), contentType: 'application/yaml; charset=utf-8'};
		},
	});
