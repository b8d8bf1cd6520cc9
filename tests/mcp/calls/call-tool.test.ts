import {expect, test} from 'vitest';
import {systemClock as clock} from '../../../source/core/clock.ts';
import type {CallOutcome} from '../../../source/mcp/calls/attempt-call.ts';
import {callTool} from '../../../source/mcp/calls/call-tool.ts';
import type {LostReason} from '../../../source/mcp/calls/lost-call.ts';
import {listed, plan, serverConfig} from '../catalogue/samples.ts';

const lost = (reason: LostReason, sent: boolean): CallOutcome => ({kind: 'lost', reason, sent});

/** Calls a tool over connections that end like this, one after the other. */
async function call(readOnlyHint: boolean, ends: readonly CallOutcome[]) {
	const [seen] = plan([listed('read', {annotations: {readOnlyHint}})]).tools;
	if (!seen) {
		throw new Error('no tool');
	}

	const left = [...ends];
	const {text} = await callTool(
		{seen, args: {}, context: {signal: new AbortController().signal}},
		{
			connection: {
				use: async <T>() => left.shift() as T,
				report() {},
			},
			server: () => serverConfig(),
			find: () => seen,
			options: {cacheDir: '/nowhere', redact: value => value, clock},
		},
	);
	return {answer: JSON.parse(text), calls: ends.length - left.length};
}

/** @see manual/tool-servers.md#states */
test.for([
	['only reads', true],
	['does not', false],
] as const)(
	'a call of a tool that %s which no connection took has no uncertain outcome',
	async ([, reads]) => {
		const {answer, calls} = await call(reads, [lost('closed', false), lost('closed', false)]);

		expect(calls).toBe(2);
		expect(answer).toEqual({
			error: 'The tool server "crm" was not called: its connections were closed',
			server: 'crm',
		});
	},
);

test('a call that the second connection was told of has one, and is not made a third time', async () => {
	const {answer, calls} = await call(false, [
		lost('closed', false),
		lost('stream_lost', true),
		lost('closed', false),
	]);

	expect(calls).toBe(2);
	expect(answer).toMatchObject({outcome_uncertain: true, reason: 'stream_lost', server: 'crm'});
});
