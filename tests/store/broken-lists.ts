import {expect} from 'vitest';
import type {Logger} from '../../source/core/log.ts';
import {silentLogger} from '../../source/core/log.ts';
import type {Store} from '../../source/store/port.ts';
import {makeToolApproval} from '../helpers/make-approval.ts';
import {acceptRun, sampleDelivery, startMs} from './samples.ts';

/** A log that keeps its warnings. */
export function keepWarnings(): {readonly log: Logger; readonly warnings: readonly string[]} {
	const warnings: string[] = [];
	return {
		warnings,
		log: {
			...silentLogger,
			warn(message) {
				warnings.push(message);
			},
		},
	};
}

const beginSession = async ({sessions}: Store, id: string) => {
	await sessions.begin({id, model: 'agent', createdAt: startMs});
	await sessions.append(id, {
		at: startMs,
		model: 'small',
		title: id,
		messages: ['hello', 'again'].map(text => ({message: {role: 'user', content: text}, text})),
	});
};

const settleCall = async ({approvals}: Store): Promise<number> => {
	const {id: _, ...call} = makeToolApproval();
	const id = await approvals.add(call);
	await approvals.settle({
		...call,
		id,
		decision: {outcome: 'denied', at: startMs, by: 'cli (alice)'},
	});
	return id;
};

/** The tables of which `listOthers` breaks a row. */
export const brokenTables = ['approval', 'delivery', 'memo', 'run', 'session', 'session_message'];

/** Breaks one row of each listing, and expects that the others are listed; the tables of which the log named a row, each time. `change` runs SQL beside the store. */
export async function listOthers(
	store: Store,
	{
		change,
		warnings,
	}: {
		readonly change: (sql: string) => unknown;
		readonly warnings: readonly string[];
	},
): Promise<readonly string[]> {
	const [brokenRun, run] = [await acceptRun(store), await acceptRun(store)];
	for (const id of [brokenRun, run]) {
		// oxlint-disable-next-line no-await-in-loop -- in their order
		await store.runs.cancel(id);
	}

	const delivery = sampleDelivery();
	await store.intake.record({delivery, claim: false});
	const [brokenCall, call] = [await settleCall(store), await settleCall(store)];
	await beginSession(store, 'ses_broken');
	await beginSession(store, 'ses_sound');
	const writer = {name: 'Alex', at: startMs, messages: 1};
	for (const user of ['broken', 'sound']) {
		// oxlint-disable-next-line no-await-in-loop -- in their order
		await store.memos.put('chat-writer', JSON.stringify(['telegram', '1', null, user]), writer);
	}

	for (const sql of [
		`update run set usage = '{' where id = ${brokenRun}`,
		`update delivery set trace = '{' where id = (select delivery from run where id = ${run})`,
		`update approval set data = '[' where id = ${brokenCall}`,
		`update session set data = '{' where id = 'ses_broken'`,
		`update session_message set data = '{' where id = (select max(id) from session_message)`,
		`update memo set data = '{' where name like '%broken%'`,
	]) {
		// oxlint-disable-next-line no-await-in-loop -- one connection
		await change(sql);
	}

	const ids = (items: ReadonlyArray<{readonly id: number | string}>) => items.map(({id}) => id);
	const question = {filter: '', now: startMs, limit: 9};
	const brief = {limit: 9};
	for (let times = 0; times < 2; times += 1) {
		// oxlint-disable no-await-in-loop -- what is said once is not said again
		expect(ids(await store.runs.list(brief))).toEqual([run]);
		expect(ids((await store.history.search('runs', question)).items)).toEqual([run]);
		const deliveries = await store.journal.list(brief);
		expect(deliveries).toHaveLength(2);
		expect(deliveries[0]?.id).toBe(delivery.id);
		expect((await store.history.search('deliveries', question)).items).toHaveLength(2);
		expect(ids(await store.approvals.settled(brief))).toEqual([call]);
		expect(ids((await store.history.search('approvals', question)).items)).toEqual([call]);
		expect(ids(await store.sessions.list(brief))).toEqual(['ses_sound']);
		expect(await store.sessions.messages('ses_sound')).toHaveLength(1);
		expect(await store.sessions.search('hello', 9)).toHaveLength(1);
		expect(await store.conversations.writers()).toMatchObject([{user: 'sound'}]);
		expect((await store.history.sum({by: 'route', from: 0})).rows).toMatchObject([{runs: 2}]);
		// oxlint-enable no-await-in-loop
	}

	expect(warnings).toContainEqual(expect.stringContaining(`row "${brokenRun}" of the table "run"`));
	return warnings
		.map(text => /table "(\w+)"/.exec(text)?.[1] ?? '')
		.toSorted((one, other) => (one < other ? -1 : 1));
}
