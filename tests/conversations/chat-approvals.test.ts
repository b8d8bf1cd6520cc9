import {expect, test} from 'vitest';
import {makeAsked, makeAskingRun, settleTurn} from '../approvals/queue-fixture.ts';
import {randomOf, runSeed} from '../helpers/random.ts';
import {ask, narrowChat, openDesk, writtenBy} from './open-desk.ts';

test('a request is asked in the chat whose turn it is, and the word of an approver lets that one call happen', async () => {
	await using open = await openDesk();
	const {verdict, asked, code} = await ask(open);
	expect(asked).toMatchObject({
		conversation: {platform: 'telegram', chat: '12'},
		buttons: [
			{label: 'Approve', data: `approve ${code}`},
			{label: 'Deny', data: `deny ${code}`},
		],
	});
	const before = open.queue.events.length;
	await open.hear(writtenBy(`approve ${code.toLowerCase()}`));
	expect(await verdict).toMatchObject({allowed: true});
	open.pass(before);
	await settleTurn();
	expect(open.said.at(-1)?.text.replaceAll('\\', '')).toBe(
		`Approval ${code}: github-tools/create_issue, allowed by telegram (Ann, 99), 14:05 UTC`,
	);
	expect(open.said.at(-1)?.keeps).toBe(asked?.keeps);
	expect(open.queued).toEqual([]);
});

test('only in the chat that was asked, only by an approver, and only once', async () => {
	await using open = await openDesk({allowFrom: ['99', '50'], approvers: ['99']});
	const {verdict, code} = await ask(open);
	const press = {chat: '12', user: '99', data: `approve ${code}`};
	const {desk} = open;
	expect(await desk.press('telegram', {...press, user: '50'})).toBe(
		'You may not answer this request.',
	);
	expect(await desk.press('telegram', {...press, user: '7'})).toBe(
		'You may not answer this request.',
	);
	expect(await desk.press('telegram', {...press, chat: '13'})).toBe(
		`No request ${code} waits in this chat.`,
	);
	expect(await desk.press('telegram', {...press, data: `approve ${code} always`})).toBe(
		'You may not answer this request.',
	);
	await open.hear(
		writtenBy(`approve ${code}`, {user: '50'}),
		writtenBy(`approve ${code}`, {user: '7'}),
		writtenBy(`approve ${code}`, {chat: '13'}),
	);
	await settleTurn();
	expect(open.queue.approvals.waiting()).toHaveLength(1);
	expect(open.log.filter(line => line.includes('approval'))).toHaveLength(5);
	const before = open.queue.events.length;
	expect(await desk.press('telegram', {...press, data: `deny ${code}`})).toBe('Denied.');
	expect(await verdict).toMatchObject({allowed: false});
	open.pass(before);
	expect(await desk.press('telegram', press)).toContain('denied by telegram');
});

test('what does not fit whole, or wants a typed name, can only be denied there', async () => {
	await using open = await openDesk();
	const large = await ask(open, {args: {text: 'x'.repeat(900)}});
	const {desk} = open;
	const press = {chat: '12', user: '99'};
	expect(large.asked?.buttons).toEqual([{label: 'Deny', data: `deny ${large.code}`}]);
	expect(await desk.press('telegram', {...press, data: `approve ${large.code}`})).toContain(
		'can only be denied here',
	);
	const changed = await ask(open, {tool: makeAsked({claims: {destructive: true}})});
	await open.hear(writtenBy(`approve ${changed.code}`));
	await settleTurn();
	expect(open.said.at(-1)?.text).toContain('can only be denied here');
	expect(open.queue.approvals.waiting()).toHaveLength(2);
	await open.hear(writtenBy(`deny ${changed.code}`), writtenBy(`deny ${large.code}`));
	expect(await Promise.all([large.verdict, changed.verdict])).toMatchObject([
		{allowed: false},
		{allowed: false},
	]);
});

test('what is shown of a request is what may be allowed: at the bound, and in a chat that has no room', async () => {
	await using open = await openDesk();
	const {desk} = open;
	for (let length = 740; length < 800; length += 1) {
		// oxlint-disable-next-line no-await-in-loop -- one after the other
		const {asked, code, verdict} = await ask(open, {args: {text: 'x'.repeat(length)}});
		const isOffered = asked?.text.includes(`approve ${code}`) === true;
		expect([length, asked?.text.includes('x'.repeat(length))]).toEqual([length, isOffered]);
		// oxlint-disable-next-line no-await-in-loop
		await desk.press('telegram', {chat: '12', user: '99', data: `approve ${code}`});
		expect([length, open.queue.approvals.waiting().length]).toEqual([length, isOffered ? 0 : 1]);
		// oxlint-disable-next-line no-await-in-loop
		await desk.press('telegram', {chat: '12', user: '99', data: `deny ${code}`});
		// oxlint-disable-next-line no-await-in-loop
		expect((await verdict).allowed).toBe(isOffered);
	}

	open.chats.push(
		{conversation: {platform: 'telegram', chat: narrowChat}, answer: {}},
		{conversation: {platform: 'telegram', chat: '-1'}, answer: {}},
	);
	const {code} = await ask(open, {run: makeAskingRun()});
	const [narrow, wide] = open.said.slice(-2);
	expect(narrow?.buttons).toEqual([{label: 'Deny', data: `deny ${code}`}]);
	expect(wide?.buttons).toHaveLength(2);
	const press = {user: '99', data: `approve ${code}`};
	expect(await desk.press('telegram', {...press, chat: narrowChat})).toContain(
		'only be denied here',
	);
	expect(await desk.press('telegram', {...press, chat: '-1'})).toBe('Allowed once.');
	open.pass();
	expect(await desk.press('telegram', {...press, chat: '12'})).toBe(
		`No request ${code} waits in this chat.`,
	);
});

test('requests of webhooks and jobs are asked in the chats that are for them, those of keys nowhere', async () => {
	await using open = await openDesk();
	open.chats.push(
		{conversation: {platform: 'telegram', chat: '-1'}, answer: {}},
		{conversation: {platform: 'slack', chat: 'C1', thread: '1.2'}, answer: {thread_id: '1.2'}},
	);
	const {code} = await ask(open, {run: makeAskingRun()});
	expect(open.said.map(({conversation}) => conversation.chat)).toEqual(['-1', 'C1']);
	expect(
		await open.desk.press('telegram', {chat: '12', user: '99', data: `approve ${code}`}),
	).toContain('No request');
	const before = open.queue.events.length;
	expect(await open.desk.press('telegram', {chat: '-1', user: '99', data: `approve ${code}`})).toBe(
		'Allowed once.',
	);
	open.pass(before);
	await settleTurn();
	expect(open.said.slice(2).map(({conversation}) => conversation.chat)).toEqual(['-1', 'C1']);
});

test('whatever comes first decides, and it decides once: chat, terminal, command line and API, in any order', async () => {
	const random = randomOf(runSeed);
	const upTo = (count: number) => Math.floor(random() * count);
	await using open = await openDesk();
	const {queue, desk} = open;
	let decisions = 0;
	for (let round = 0; round < 500; round += 1) {
		// oxlint-disable-next-line no-await-in-loop -- one request after the other
		const {verdict, code} = await ask(open);
		const [waiting] = queue.approvals.waiting();
		const id = waiting?.id ?? 0;
		const from = queue.events.length;
		const answers = Array.from({length: 20}, (_, index) => async () => {
			const choice = upTo(2) === 0 ? 'approve' : 'deny';
			switch (upTo(4)) {
				case 0:
					return desk.press('telegram', {chat: '12', user: '99', data: `${choice} ${code}`});

				case 1:
					return open.hear(writtenBy(`${choice} ${code}`, {id: `${round}/${index}`}));

				default:
					return queue.approvals.settle(
						id,
						choice === 'approve' ? {choice: 'allow', scope: 'once'} : {choice: 'deny'},
						['tui', 'cli', 'API key "x"'][upTo(3)] ?? '',
					);
			}
		});
		// oxlint-disable-next-line no-await-in-loop
		await Promise.all(answers.map(async answer => answer()));
		// oxlint-disable-next-line no-await-in-loop
		const {allowed} = await verdict;
		open.pass(from);
		const settled = queue.events.slice(from).filter(({type}) => type === 'approval-settled');
		expect(settled).toHaveLength(1);
		expect(settled[0]).toMatchObject({
			approval: {id, decision: {outcome: allowed ? 'allowed' : 'denied'}},
		});
		decisions += 1;
	}

	expect(decisions).toBe(500);
	expect(queue.approvals.waiting()).toEqual([]);
}, 60_000);
