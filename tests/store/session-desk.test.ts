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
