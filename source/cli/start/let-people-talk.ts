import {isHeard} from '../../config/platform-settings.ts';
import {every} from '../../core/clock.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {GatewayCommands} from '../../gateway/port.ts';
import {allowedText, personOf, type ChatWriter} from '../../nouns/chat/chat.ts';
import {askLine, isYes} from '../console/ask-line.ts';
import type {Context} from '../console/context.ts';
import {printLines, tell} from '../console/print.ts';
import {findGateway} from '../home/gateway-access.ts';
import {readConfig} from '../home/receiver-facts.ts';

/** How often the gateway is asked for new writers, in milliseconds. */
const lookMs = 1000;

type ListeningPlatform = {
	readonly name: string;
	readonly title: string;
	/** Writes `inbound: true` with the settings it needs; resolves to whether it was written. */
	readonly listen: () => Promise<boolean>;
};

/**
 * Offers to let people talk with the agent on a configured platform. With a running gateway, the first person who writes is shown with their identifier, and can
 * be allowed. Only for a terminal.
 *
 * @throws SvcError as `listen` does
 * @see manual/conversations.md
 */
export async function letPeopleTalk(
	context: Context,
	{name, title, listen}: ListeningPlatform,
): Promise<void> {
	if (!isHeard(readConfig(context), name)) {
		const {text, interrupted} = await askLine(
			context,
			`May people whom you allow talk with the agent on ${title}? [y/N] `,
		);
		if (!isYes(text)) {
			context.exit(interrupted ? 130 : 0);
			return;
		}

		if (!(await listen())) {
			return;
		}
	}

	const gateway = await findGateway(context);
	if (!gateway) {
		tell(
			context,
			'Start the gateway ("svc") and write to the bot: "svc chats list" then shows who wrote, and "svc chats allow" lets them talk',
		);
		return;
	}

	await gateway.reload();
	const {platforms} = await gateway.status();
	const {state, reason = ''} = platforms.find(one => one.name === name) ?? {};
	if (state === 'failed') {
		tell(
			context,
			`The gateway does not listen on ${title} yet: ${reason}. "svc gateway setup ${name}" takes other settings`,
		);
		return;
	}

	await allowFirst(context, gateway, name);
}

async function allowFirst(context: Context, gateway: GatewayCommands, name: string): Promise<void> {
	const writer = await firstWriter(context, gateway, name);
	if (!writer) {
		tell(context, '"svc chats list" shows who wrote, and "svc chats allow" lets them talk');
		return;
	}

	const person = personOf(writer);
	const called = writer.name === null ? '' : ` (${escapeLine(writer.name, 80)})`;
	if (writer.allowed) {
		tell(context, `${person}${called} wrote, and may talk with the agent already`);
		return;
	}

	const {text, interrupted} = await askLine(
		context,
		`${person}${called} wrote. Let this person talk with the agent and answer its requests for approval? [y/N] `,
	);
	if (isYes(text)) {
		const outcome = await gateway.allowWriter({platform: name, user: writer.user});
		printLines(context, [allowedText(writer, outcome)]);
	} else {
		tell(context, `"svc chats allow ${person}" does that later`);
		context.exit(interrupted ? 130 : 0);
	}
}

/** The first person who writes on the platform from now on; `undefined` if the person at the terminal stops waiting. */
async function firstWriter(
	context: Context,
	gateway: Pick<GatewayCommands, 'listChats'>,
	name: string,
): Promise<ChatWriter | undefined> {
	const there = async () => (await gateway.listChats()).filter(({platform}) => platform === name);
	const known = new Map((await there()).map(one => [keyOf(one), one.messages]));
	const found = new AbortController();
	let writer: ChatWriter | undefined;
	const stopLooking = every(context.clock, lookMs, async () => {
		// A gateway that does not answer is asked again.
		const now = await there().catch(() => []);
		writer ??= now.find(one => one.messages > (known.get(keyOf(one)) ?? 0));
		if (writer) {
			found.abort();
		}
	});
	try {
		const signal = AbortSignal.any([found.signal, ...(context.signal ? [context.signal] : [])]);
		await askLine({...context, signal}, 'Write to the bot now; Enter: later ');
	} finally {
		stopLooking();
	}

	return writer;
}

const keyOf = ({chat, thread, user}: ChatWriter): string => JSON.stringify([chat, thread, user]);
