import {createHmac} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';

/** The secret of every route that is measured or shown. */
export const secret = 'bench-only-secret-0123456789';

const examplesOf = (event: string): ReadonlyArray<Readonly<Record<string, unknown>>> => {
	const path = createRequire(import.meta.url).resolve(
		'@octokit/webhooks-examples/api.github.com/index.json',
	);
	const events = JSON.parse(readFileSync(path, 'utf8')) as ReadonlyArray<{
		name: string;
		examples: ReadonlyArray<Record<string, unknown>>;
	}>;
	return events.find(({name}) => name === event)?.examples ?? [];
};

/** A real `push` event of a code host, about 7 kB of JSON. */
export function pushExample(): Buffer {
	const bodies = examplesOf('push').map(example => Buffer.from(JSON.stringify(example)));
	const wanted = 7000;
	const [best] = bodies.toSorted(
		(left, right) => Math.abs(left.length - wanted) - Math.abs(right.length - wanted),
	);
	if (!best) {
		throw new Error('Cannot find an example of "push" in @octokit/webhooks-examples');
	}

	return best;
}

/** The value of `X-Hub-Signature-256`. */
export const hubSignature = (body: Buffer): string =>
	`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
