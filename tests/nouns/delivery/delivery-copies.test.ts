import {execFileSync} from 'node:child_process';
import {expect, test} from 'vitest';
import type {StoredDelivery} from '../../../source/core/delivery.ts';
import {
	bodyText,
	curlText,
	decisionText,
	headersText,
	jsonText,
} from '../../../source/nouns/delivery/delivery-copies.ts';
import {makeDelivery} from '../../helpers/make.ts';

const stored = (body: string, overrides: Partial<StoredDelivery> = {}): StoredDelivery => ({
	...makeDelivery({
		id: 'abc123',
		route: 'gh',
		event: 'push',
		status: 200,
		outcome: 'ignored:event',
	}),
	headers: {'content-type': 'application/json', 'x-github-event': 'push', host: 'svc.example'},
	body: new TextEncoder().encode(body),
	...overrides,
});

test('the body is copied as it came', () => {
	expect(bodyText(stored('{"a": "日本"}'))).toBe('{"a": "日本"}');
});

test('headers are copied one a line', () => {
	expect(headersText(stored(''))).toBe(
		'content-type: application/json\nx-github-event: push\nhost: svc.example',
	);
});

test('the curl line holds the placeholder $SIG and no secret', () => {
	expect(curlText(stored(`{"it's": 1}`), 'http://127.0.0.1:8644')).toBe(
		`curl -X POST 'http://127.0.0.1:8644/webhooks/gh' -H 'content-type: application/json' -H 'x-github-event: push' -H "X-Webhook-Signature: $SIG" --data-binary '{"it'\\''s": 1}'`,
	);
});

test.for(['plain', "it's", 'a\\b$HOME`id`"', "\u001b[201~\nrm -rf /\r'", '日本\u0085\u0001\\'])(
	'bash reads %j from the curl line as it was sent',
	body => {
		const line = curlText(stored(body), 'http://x');
		const script = `curl() { printf '%s' "\${@: -1}"; }; ${line}`;

		expect(
			execFileSync('bash', ['--norc', '--noprofile', '-c', script], {
				env: {LC_ALL: 'C.UTF-8'},
			}).toString(),
		).toBe(body);
	},
);

test('no control character is in a curl line', () => {
	// oxlint-disable-next-line no-control-regex -- they are the subject
	expect(curlText(stored('\u001b[201~\n\r'), 'http://x')).not.toMatch(/[\u0000-\u001f]/);
});

test('the decision is copied with the steps that were not reached', () => {
	const text = decisionText(
		stored('', {
			trace: [
				{step: 'signature', verdict: 'pass', detail: 'route secret'},
				{step: 'event', verdict: 'stop', detail: 'push is not in [release]'},
			],
		}),
	);

	expect(text.split('\n').slice(0, 5)).toEqual([
		'abc123 gh push 200 ignored:event',
		'✓ signature route secret',
		'✗ event     push is not in [release]',
		'- filter    not reached',
		'- script    not reached',
	]);
});

test('the JSON line has no body', () => {
	const line = jsonText(stored('secret payload'));

	expect(JSON.parse(line)).toMatchObject({id: 'abc123', route: 'gh'});
	expect(line).not.toContain('secret payload');
});
