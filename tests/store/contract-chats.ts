import {describe, expect, test} from 'vitest';
import type {Use} from './contract.ts';

const leaseMs = 60_000;

const chat = {
	profile: 'default',
	origin: {kind: 'key', name: 'chat-app'},
	plan: {prompt: 'Hello', target: {kind: 'log', extra: {}}, skills: []},
} as const;

/** What every adapter must do with turns of chats. */
export function describeChats(name: string, use: Use): void {
	describe(`${name}: turns of chats`, () => {
		test(
			'a turn is a run that is leased at once, with the key that asked, and ends like any other',
			use(async (store, clock) => {
				const lease = await store.runs.beginChat(chat, leaseMs);
				expect(lease).toMatchObject({
					phase: 'agent',
					run: {
						route: '-',
						event: 'chat',
						chat: {key: 'chat-app'},
						state: 'running',
						attempt: 1,
						createdAt: clock.now(),
						startedAt: clock.now(),
						plan: chat.plan,
					},
				});
				expect(await store.runs.counts()).toEqual({queued: 0, active: 1});
				expect(await store.runs.lease(5, leaseMs)).toEqual([]);
				store.runs.append(lease, [{at: 1, kind: 'text', text: 'Hi'}]);
				expect(await store.runs.answer(lease, {text: 'Hi', model: 'gpt-test', toolCalls: 0})).toBe(
					true,
				);
				expect(await store.runs.settle(lease, {state: 'done'})).toBe(true);
				const run = await store.runs.get(lease.run.id);
				expect(run).toMatchObject({state: 'done', fullAnswer: 'Hi', chat: {key: 'chat-app'}});
				expect(run?.transcript).toHaveLength(1);
				expect(await store.runs.list({limit: 5})).toMatchObject([{chat: {key: 'chat-app'}}]);
				expect(await store.runs.counts()).toEqual({queued: 0, active: 0});
			}),
		);

		test(
			'what a crash leaves of a turn has failed and is never run again',
			use(async (store, clock, home) => {
				const lease = await store.runs.beginChat(chat, leaseMs);
				const other = await store.runs.beginChat(chat, leaseMs);
				await store.runs.markSideEffect(other);
				await using after = await home.crash();
				await using reopened = await after.open(clock);
				expect(await reopened.runs.get(lease.run.id)).toMatchObject({
					state: 'failed',
					error: 'The gateway ended or lost this turn of a chat while it worked on it',
				});
				expect((await reopened.runs.get(other.run.id))?.error).toContain('look what it did');
				expect(reopened.taken).toEqual({requeued: [], interrupted: [], uncertain: [], denied: []});
				expect(await reopened.runs.lease(5, leaseMs)).toEqual([]);
				expect(await reopened.runs.retry(lease.run.id)).toBe(false);
				expect(await reopened.runs.counts()).toEqual({queued: 0, active: 0});
			}),
		);

		test(
			'a turn whose lease runs out has failed; one that is cancelled is not retried',
			use(async (store, clock) => {
				const late = await store.runs.beginChat(chat, leaseMs);
				clock.advance(leaseMs + 1);
				await store.runs.lease(1, leaseMs);
				expect((await store.runs.get(late.run.id))?.state).toBe('failed');
				const cancelled = await store.runs.beginChat(chat, leaseMs);
				expect(await store.runs.cancel(cancelled.run.id)).toBe(true);
				expect(await store.runs.retry(cancelled.run.id)).toBe(false);
			}),
		);
	});
}
