import {expect, test} from 'vitest';
import {mintSessionId, type ChatSession} from '../../source/core/session.ts';
import {createSessionDesk} from '../../source/store/session-desk.ts';
import {createSharedMemory} from '../../source/store/shared-memory.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

const session: ChatSession = {
	id: mintSessionId(),
	model: 'fast',
	title: '',
	createdAt: 0,
	usedAt: 0,
	messages: 0,
	bytes: 0,
};

test('a session whose messages could not be read, or that could not be removed, may be asked for again', async () => {
	let isBroken = true;
	const broken = async <Value>(value: Value) => {
		if (isBroken) {
			throw new Error('The disk is gone');
		}

		return value;
	};
	const clock = createFakeClock();
	const desk = createSessionDesk({
		clock,
		leases: createSharedMemory(clock).leases,
		sessions: {
			begin: async () => {},
			append: async () => session,
			get: async () => session,
			messages: async () => broken([]),
			remove: async () => broken(true),
		},
	});
	await expect(desk.resume({kind: 'person'}, session.id)).rejects.toThrow('The disk is gone');
	await expect(desk.remove(session.id)).rejects.toThrow('The disk is gone');
	isBroken = false;
	await using open = await desk.resume({kind: 'person'}, session.id);
	await expect(desk.remove(open.id)).rejects.toMatchObject({code: 'session_busy'});
});

test('a turn whose place another gateway has by now is not added, nor is the session removed', async () => {
	const clock = createFakeClock();
	const {leases} = createSharedMemory(clock);
	let isAway = false;
	const done: string[] = [];
	const deskOf = () =>
		createSessionDesk({
			clock,
			leases: name => ({
				async take(ms) {
					const lease = await leases(name).take(ms);
					return (
						lease && {
							...lease,
							beat: async more => (isAway ? Promise.reject(new Error('away')) : lease.beat(more)),
						}
					);
				},
			}),
			sessions: {
				async begin() {},
				async append() {
					done.push('append');
					return session;
				},
				get: async () => session,
				messages: async () => [],
				async remove() {
					done.push('remove');
					return true;
				},
			},
		});
	const turn = {asked: [], answer: {role: 'assistant'}, model: 'fast'};
	const [east, west] = [deskOf(), deskOf()];
	const late = await east.resume({kind: 'person'}, session.id);
	// Stopped for longer than the lease: as long as nobody else goes on, it is still its own.
	isAway = true;
	clock.advance(9000);
	isAway = false;
	await late.keep(turn);
	isAway = true;
	clock.advance(31_000);
	isAway = false;
	const next = await west.resume({kind: 'person'}, session.id);
	await expect(late.keep(turn)).rejects.toMatchObject({code: 'session_busy'});
	await late[Symbol.asyncDispose]();
	await next.keep(turn);
	expect(done).toEqual(['append', 'append']);
	await next[Symbol.asyncDispose]();
});

test('what was done counts although the place could not be given back', async () => {
	const clock = createFakeClock();
	const {leases} = createSharedMemory(clock);
	const desk = createSessionDesk({
		clock,
		leases: name => ({
			async take(ms) {
				const lease = await leases(name).take(ms);
				return lease && {...lease, release: async () => Promise.reject(new Error('away'))};
			},
		}),
		sessions: {
			begin: async () => {},
			append: async () => session,
			get: async () => session,
			messages: async () => [],
			remove: async () => true,
		},
	});
	{
		await using _ = await desk.resume({kind: 'person'}, session.id);
	}

	clock.advance(30_000);
	expect(await desk.remove(session.id)).toBe(true);
});
