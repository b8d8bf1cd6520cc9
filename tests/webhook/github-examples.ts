import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import type {JsonObject} from '../../source/core/json.ts';

type Definition = {readonly name: string; readonly examples: readonly JsonObject[]};

const require = createRequire(import.meta.url);

/** Payloads as the code host sends them, with their event types. */
export const githubExamples = (
	JSON.parse(
		readFileSync(require.resolve('@octokit/webhooks-examples'), 'utf8'),
	) as readonly Definition[]
).flatMap(({name, examples}) =>
	examples.map(payload => ({event: name, body: JSON.stringify(payload), payload})),
);
