import {expect, test} from 'vitest';
import {silentLogger} from '../../../source/core/log.ts';
import {createApiTurns} from '../../../source/gateway/chat/api-turns.ts';
import {openSqliteStore} from '../../../source/store/open-sqlite-store.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';

test('a turn whose run was ended elsewhere meanwhile is no answer, and nothing of it is kept', async () => {
	const clock = createFakeClock();
	await using home = await temporaryHome({});
	await using store = await openSqliteStore({clock}, {file: home.file('state.db')});
	const agent = {
		async run({runId}: {readonly runId: number}) {
			await store.runs.cancel(runId);
			return {
				answer: 'late',
				toolCalls: 0,
				model: {provider: 'offline' as const, name: 'm', origin: 'offline'},
				silent: false,
				cut: false,
				steps: 1,
			};
		},
	};
	const turns = createApiTurns({
		clock,
		emit() {},
		log: silentLogger,
		redact: text => text,
		runs: store.runs,
		dispatcher: {
			host: async (lease, work) => work(lease, new AbortController().signal, () => true),
		},
		announce: async () => {},
		agents: {test: agent, live: agent},
		equip: async () => ({notes: [], logins: [], offered: [], maxSchemaTokens: 1, tools: []}),
		settings: () => ({maxSteps: 1, timeoutMs: 1000}),
		profile: 'default',
		approvals: {watch: () => () => {}, runEnded() {}},
	});
	const kept: string[] = [];
	const turn = turns({
		model: {id: 'fast', agent: true, relay: false, tools: false, skills: []},
		messages: [{role: 'user', text: '?'}],
		origin: {kind: 'person'},
		isTest: true,
		requestId: 'r',
		denyApprovals: false,
		signal: new AbortController().signal,
		async onAnswer({text}) {
			kept.push(text);
		},
		async onText() {},
		async onProgress() {},
	});
	await expect(turn).rejects.toMatchObject({code: 'run_cancelled'});
	expect(kept).toEqual([]);
	expect(await store.runs.view(1)).toMatchObject({state: 'cancelled'});
});
