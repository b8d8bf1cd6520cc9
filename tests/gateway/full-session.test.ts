import {expect, test} from 'vitest';
import {apiSettings} from '../../source/config/api-settings.ts';
import {mintSessionId} from '../../source/core/session.ts';
import {createPersonChat} from '../../source/gateway/chat/person-chat.ts';
import {maxMessagesOfSession} from '../../source/store/rules.ts';
import {createSessionDesk} from '../../source/store/session-desk.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';
import {createSqliteHome} from '../store/sqlite-home.ts';

test('a session of the person that is full is refused before a model is asked', async () => {
	await using home = await createSqliteHome();
	const clock = createFakeClock(1_700_000_000_000);
	await using store = await home.open(clock);
	const id = mintSessionId();
	await store.sessions.begin({id, model: 'svc-agent-1', createdAt: clock.now()});
	await store.sessions.append(id, {
		at: clock.now(),
		model: 'svc-agent-1',
		title: 'long',
		messages: Array.from({length: maxMessagesOfSession - 1}, () => ({
			message: {role: 'user', content: 'x'},
			text: 'x',
		})),
	});
	let asked = 0;
	const {models} = apiSettings.read({});
	const chat = createPersonChat({
		models: () => models,
		desk: createSessionDesk({clock, sessions: store.sessions, leases: store.leases}),
		async turn() {
			asked += 1;
			throw new Error('asked');
		},
	});
	await expect(chat.say({text: 'one more', session: id})).rejects.toMatchObject({
		code: 'session_full',
	});
	expect(asked).toBe(0);
});
