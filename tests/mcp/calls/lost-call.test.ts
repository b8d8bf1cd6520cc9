import {expect, test} from 'vitest';
import {callFailure} from '../../../source/mcp/calls/lost-call.ts';
import type {ConnectFailure} from '../../../source/mcp/wire/open-transport.ts';

const failureOf = (error: unknown, kind: ConnectFailure['kind'] = 'passing', isGone = false) =>
	callFailure(error, {
		explain: () => ({kind, message: 'explained'}),
		signal: isGone ? AbortSignal.abort() : new AbortController().signal,
	});

const coded = (code: string) => Object.assign(new Error('x'), {code});

test.for([
	['a refused connection', new TypeError('fetch failed', {cause: coded('ECONNREFUSED')})],
	['an unknown host', coded('ENOTFOUND')],
	['a client without a connection', new Error('Not connected')],
	['a client that says so with a code', coded('NOT_CONNECTED')],
] as const)('%s: the server has seen nothing', ([, error]) => {
	expect(failureOf(error)).toEqual({kind: 'lost', reason: 'closed', sent: false});
});

test.for([
	['session-expired', 'session_expired'],
	['stream-lost', 'stream_lost'],
] as const)('%s in the middle of a call loses the answer: %s', ([kind, reason]) => {
	expect(failureOf(new Error('x'), kind)).toEqual({kind: 'lost', reason, sent: true});
});

test('a connection that was closed loses the answer', () => {
	const lost = {kind: 'lost', reason: 'closed', sent: true};

	expect(failureOf(coded('CONNECTION_CLOSED'))).toEqual(lost);
	expect(failureOf(coded('SEND_FAILED'))).toEqual(lost);
	expect(failureOf(new Error('anything'), 'passing', true)).toEqual(lost);
});

test.for(['passing', 'permanent', 'needs-login'] as const)(
	'an answer of the server that is an error (%s) is one for the model',
	kind => {
		expect(failureOf(new Error('x'), kind)).toEqual({kind: 'error', message: 'explained'});
	},
);
