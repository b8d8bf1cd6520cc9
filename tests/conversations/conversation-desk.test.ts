import {expect, test} from 'vitest';
import {settleTurn} from '../approvals/queue-fixture.ts';
import {leaseOne} from '../store/samples.ts';
import {openDesk, writtenBy} from './open-desk.ts';

test('a message is a turn by the settings of its platform, answered where it was written', async () => {
	await using open = await openDesk({toolsets: ['mcp-crm'], model: 'small', skills: ['crm']});
	await open.hear(writtenBy('Hello', {id: '12/5', answer: {thread_id: '17', reply_to: '5'}}));
	expect(open.queued).toEqual([1]);
	expect((await open.store.runs.get(1))?.plan).toEqual({
		prompt: 'Hello',
		subject: 'Hello',
		target: {
			kind: 'telegram',
			extra: {chat_id: '12', thread_id: '17', reply_to: '5', sticky: true},
		},
		key: 'turn 12/5',
		skills: ['crm'],
		toolsets: ['mcp-crm'],
		model: 'small',
		session: expect.stringMatching(/^ses_/),
	});
});

test('the same message again changes nothing, and is told nothing', async () => {
	await using open = await openDesk();
	const [hello, status] = [writtenBy('Hello'), writtenBy('/status')];
	await open.hear(hello, status);
	await open.hear(hello, status, hello);
	await settleTurn();
	expect(open.queued).toEqual([1]);
	expect(open.said).toHaveLength(1);
});

test('"Whoever is not allowed gets no answer at all; it is logged once an hour per person"', async () => {
	await using open = await openDesk();
	const stranger = {user: '7', name: 'Eve\u001b[2J'};
	await open.hear(writtenBy('Hello', stranger), writtenBy('/status', stranger));
	await open.hear(writtenBy('Hello', {...stranger, user: '8'}));
	open.queue.clock.advance(3_599_999);
	await open.hear(writtenBy('Hello', stranger));
	open.queue.clock.advance(1);
	await open.hear(writtenBy('Hello', stranger));
	await settleTurn();
	expect([open.said, open.queued]).toEqual([[], []]);
	expect(open.log.map(line => line.split(' ').slice(-2)[0])).toEqual(['7', '8', '7']);
	expect(open.log[0]).toContain('svc chats allow telegram:7');
	expect(open.log.join('')).not.toContain('\u001b');
	expect(await open.store.conversations.writers()).toMatchObject([
		{user: '7', messages: 4},
		{user: '8', messages: 1},
	]);
});

test('"each try to approve is a log line of its own with the identifier and the word `approval`"', async () => {
	await using open = await openDesk({approvers: ['5']});
	await open.hear(
		writtenBy('approve K7QF'),
		writtenBy('deny K7QF'),
		writtenBy('deny K7QF', {user: '7'}),
	);
	await settleTurn();
	expect([open.said, open.queued]).toEqual([[], []]);
	expect(open.log).toEqual([
		expect.stringMatching(/approval .* 99 Ann$/),
		expect.stringMatching(/approval .* 99 Ann$/),
		expect.stringMatching(/approval .* 7 Ann$/),
	]);
});

test('a try to approve of somebody who may not takes no identifier from the messages of others', async () => {
	await using open = await openDesk();
	await open.hear(writtenBy('approve K7QF', {id: 'chosen', user: '7'}));
	await open.hear(writtenBy('Hello', {id: 'chosen'}));
	await settleTurn();
	expect(open.queued).toEqual([1]);
});

test('"/new" begins another session, "/status" answers with one line, "/stop" ends the turn that is under way', async () => {
	await using open = await openDesk();
	await open.hear(writtenBy('One'), writtenBy('/new'), writtenBy('Two'), writtenBy('/status'));
	await settleTurn();
	const [one, two] = await Promise.all([1, 2].map(async id => open.store.runs.get(id)));
	expect(one?.plan.session).not.toBe(two?.plan.session);
	expect(open.said.map(({text}) => text)).toEqual([
		'A new conversation begins.',
		'Nothing is under way; 2 messages wait.',
	]);
	const lease = await leaseOne(open.store);
	await open.hear(writtenBy('/status'));
	await settleTurn();
	await open.hear(writtenBy('/stop'));
	await settleTurn();
	expect(open.stopped).toEqual([lease.run.id]);
	expect(open.said.slice(2).map(({text}) => text)).toEqual([
		'Working on run 1 for 5 s; 1 message waits.',
		'Stopped.',
	]);
	// "After `/stop` what waits goes on".
	expect((await leaseOne(open.store)).run.id).toBe(2);
});

test('"at most 20, then the sender is told": the 21st is told and gone', async () => {
	await using open = await openDesk();
	await open.hear(...Array.from({length: 20}, () => writtenBy('Hello')));
	const late = writtenBy('Late');
	await open.hear(late);
	await settleTurn();
	expect(open.queued).toHaveLength(20);
	expect(open.said).toMatchObject([{text: expect.stringContaining('20 messages wait already')}]);
	await open.hear(late);
	await settleTurn();
	expect(open.said).toHaveLength(1);
});

test('in a room a thread that we have talked in needs no mention', async () => {
	await using open = await openDesk();
	const inThread = {chat: '-5', thread: '17', isDirect: false, isForUs: false} as const;
	await open.hear(writtenBy('Hello', inThread));
	expect(open.queued).toEqual([]);
	await open.hear(
		writtenBy('Hello', {...inThread, isForUs: true}),
		writtenBy('And now?', inThread),
	);
	await open.hear(writtenBy('And now?', inThread));
	expect(open.queued).toHaveLength(2);
});

test('of a platform that is not listened to any more nothing is taken', async () => {
	await using open = await openDesk();
	await expect(open.desk.hear('matrix', [writtenBy('Hello')])).rejects.toMatchObject({
		code: 'platform_disabled',
	});
	expect(await open.store.runs.list({limit: 5})).toEqual([]);
	expect(await open.desk.press('matrix', {...writtenBy(''), data: 'approve K7QF'})).toBe(
		'You may not answer this request.',
	);
});
