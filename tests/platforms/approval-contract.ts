import {describe, expect, test} from 'vitest';
import type {ListeningSettings} from '../../source/conversations/asked-message.ts';
import type {JsonObject} from '../../source/core/json.ts';
import {makeAskingRun, settleTurn} from '../approvals/queue-fixture.ts';
import {ask, openDesk} from '../conversations/open-desk.ts';
import {openListener, settingsOf} from './open-listener.ts';

export type Place = {readonly chat: string; readonly isDirect: boolean};

/** `user` writes `text` in a chat, without a mention of the bot, or presses a button that carries it. */
type Act = (place: Place, user: string, text: string) => void;

/** A server of the platform on which people act. */
type PlatformOfPeople = AsyncDisposable & {
	/** What stands below `platforms.<kind>`, besides who may do what. */
	readonly written: JsonObject;
	/** What the server would not have taken. */
	readonly faults: readonly string[];
	readonly write: Act;
	/** Absent: there are no buttons. */
	readonly press?: Act;
};

type ApprovalSpeech = {
	readonly kind: string;
	/** Their identifiers. `talker`: may talk, and not answer requests. */
	readonly people: Readonly<Record<'approver' | 'talker' | 'outsider', string>>;
	/** What outsiders write need not be read: a line of the log says that they wrote, and not what they tried. */
	readonly leavesOutsidersUnread?: true;
	/** Two direct chats, two rooms. By e-mail the chat is the address of who writes: `here` is that of the approver. */
	readonly places: ReadonlyArray<Readonly<Record<'here' | 'elsewhere', Place>>>;
	readonly open: () => Promise<PlatformOfPeople>;
};

/** The listener of a platform, a desk and a queue of approvals, joined as the gateway joins them. */
async function openJoined(kind: string, platform: PlatformOfPeople, people: JsonObject) {
	await using stack = new AsyncDisposableStack();
	const written = {...platform.written, ...people};
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- platforms that are listened to have them
	const settings = (await settingsOf(kind, written)) as ListeningSettings;
	const open = stack.use(await openDesk(settings, kind));
	const pressed: Array<{readonly user: string; readonly told: string}> = [];
	const listener = stack.use(
		await openListener(kind, written, {
			allowed: settings.allowFrom,
			onMessages: async (messages, cursor) => open.desk.hear(kind, messages, cursor),
			async onPress(press) {
				const told = await open.desk.press(kind, press);
				pressed.push({user: press.user, told});
				return told;
			},
		}),
	);
	const {heard} = listener;
	void listener.listen();
	await listener.until(() => heard.notes.length > 0);
	const opened = stack.move();
	return {
		...open,
		pressed,
		/** Resolves once that many words, or presses, of `user` were heard and have done what they do. */
		async heardOf(
			user: string,
			{isPress, count}: {readonly isPress: boolean; readonly count: number},
		) {
			await listener.until(() => {
				const all = isPress ? pressed : [...heard.messages.values()];
				return all.filter(one => one.user === user).length === count;
			});
			await settleTurn();
		},
		[Symbol.asyncDispose]: async () => opened[Symbol.asyncDispose](),
	};
}

/** Who may answer a request for approval in a chat: every platform has to hand over the author and the chat of each word and press as they are. */
export function testApprovals({
	kind,
	people,
	leavesOutsidersUnread,
	places,
	open: openPlatform,
}: ApprovalSpeech): void {
	const {approver, talker, outsider} = people;
	const runIn = ({chat}: Place) =>
		makeAskingRun({origin: {kind: 'chat', platform: kind, chat, user: approver}});

	describe('"Only `approvers` of that platform, only in that chat"', () => {
		test.for(
			places.map(place => [place.here.isDirect ? 'a direct chat' : 'a room', place] as const),
		)('in %s others change nothing, and a yes counts once', async ([, {here, elsewhere}]) => {
			await using platform = await openPlatform();
			await using open = await openJoined(kind, platform, {
				// In a direct chat the approver "may answer requests and nothing else".
				allow_from: [talker, ...(here.isDirect ? [] : [approver])],
				approvers: [approver],
			});
			const settled = () => open.queue.events.filter(({type}) => type === 'approval-settled');

			for (const [way, act] of [
				['word', platform.write],
				['press', platform.press],
			] as const) {
				if (!act) {
					continue;
				}

				const isPress = way === 'press';
				// oxlint-disable no-await-in-loop -- one way after the other
				const asked = await ask(open, {run: runIn(here)});
				const other = await ask(open, {run: runIn(elsewhere)});
				const before = settled().length;
				const from = open.said.length;
				const logged = open.log.length;
				act(here, talker, `approve ${asked.code}`);
				act(here, outsider, `approve ${asked.code}`);
				// To the direct chats of others nobody comes.
				const [place, code] = here.isDirect ? [here, other.code] : [elsewhere, asked.code];
				act(place, approver, `approve ${code}`);
				await open.heardOf(approver, {isPress, count: 1});
				const notHere = `No request ${code} waits in this chat.`;
				expect(settled()).toHaveLength(before);
				expect(open.pressed.map(({told}) => told)).toEqual(
					isPress
						? ['You may not answer this request.', 'You may not answer this request.', notHere]
						: [],
				);
				// A word that is no answer there is for others in a room.
				expect(
					open.said.slice(from).map(({conversation, text}) => [conversation.chat, text]),
				).toEqual(isPress || !here.isDirect ? [] : [[here.chat, notHere]]);
				const tried = (user: string) => `approval .* nothing was done ${RegExp.escape(user)}`;
				expect(open.log.slice(logged)).toEqual([
					expect.stringMatching(tried(talker)),
					expect.stringMatching(
						leavesOutsidersUnread ? ` ${RegExp.escape(outsider)}` : tried(outsider),
					),
				]);

				act(here, approver, `approve ${asked.code}`);
				await open.heardOf(approver, {isPress, count: 2});
				const decided = () => settled().slice(before);
				expect(decided()).toMatchObject([
					{
						approval: {
							decision: {
								outcome: 'allowed',
								scope: 'once',
								by: expect.stringMatching(`^${kind} \\(.*${RegExp.escape(approver)}\\)$`),
							},
						},
					},
				]);
				expect(await asked.verdict).toMatchObject({allowed: true});
				open.pass(open.queue.events.length - 1);
				act(here, approver, `deny ${asked.code}`);
				await open.heardOf(approver, {isPress, count: 3});
				expect(decided()).toHaveLength(1);
				const answer = open.said.findLast(({keeps}) => keeps === undefined)?.text;
				expect(isPress ? open.pressed.at(-1)?.told : answer).toContain('allowed by');
				// oxlint-enable no-await-in-loop
			}

			expect(open.queue.memory.rules.size).toBe(0);
			expect(open.queued).toEqual([]);
			expect(platform.faults).toEqual([]);
		});
	});
}
