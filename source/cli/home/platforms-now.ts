import type {Config} from '../../config/config.ts';
import {platformSettings} from '../../config/platform-settings.ts';
import type {PlatformView} from '../../core/config-view.ts';
import {SvcError} from '../../core/errors.ts';
import {unknownTarget} from '../../delivery/deliverer.ts';
import type {ListedPlatform} from '../../nouns/platform/platform.ts';
import {testMessage} from '../../platforms/outgoing-message.ts';
import {platformKinds, platformNamed} from '../../platforms/platforms.ts';
import type {Context} from '../console/context.ts';
import {printResult} from '../console/print.ts';
import {findGateway} from './gateway-access.ts';
import {openDeliverer} from './open-deliverer.ts';
import {readConfig} from './receiver-facts.ts';

type TestExtra = {readonly chat_id?: string; readonly thread_id?: string};

/** `svc platforms test`: sends a test message, through the gateway if one runs, and prints its receipt. @throws SvcError `platform_unknown`, and of `DeliveryError` */
export async function testPlatform(
	context: Context,
	kind: string,
	{chatId, threadId, json}: TestFlags,
): Promise<void> {
	if (!platformNamed(kind)) {
		throw new SvcError('platform_unknown', `Cannot send: ${unknownTarget(kind).problem}`);
	}

	const extra = {
		...(chatId !== undefined && {chat_id: chatId}),
		...(threadId !== undefined && {thread_id: threadId}),
	};
	const gateway = await findGateway(context);
	const delivered = gateway
		? (await gateway.testPlatform(kind, extra)).delivered
		: await sendTestAlone(context, readConfig(context), {kind, extra});
	const lines = [`Delivered: ${delivered}`];
	printResult(context, {json, value: {platform: kind, delivered}, lines});
}

type TestFlags = {readonly chatId?: string; readonly threadId?: string; readonly json?: boolean};

/** Sends a test message from this process with these settings; resolves to its receipt. @throws SvcError of `DeliveryError` */
export async function sendTestAlone(
	context: Context,
	config: Config,
	{kind, extra = {}}: {readonly kind: string; readonly extra?: TestExtra},
): Promise<string> {
	await using deliverer = openDeliverer(context, config);
	const {summary} = await deliverer.deliver(
		testMessage(kind, extra, context.clock.now()),
		new AbortController().signal,
	);
	return summary;
}

/** The default chat. */
export const homeChannelOf = (config: Config, kind: string): string | undefined =>
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every platform has it
	(platformSettings(config, kind) as {homeChannel?: string} | undefined)?.homeChannel;

/** The state of every platform: from the gateway, or checked now if enabled. `only`: just this one. */
export async function listPlatforms(
	context: Context,
	only?: string,
): Promise<readonly ListedPlatform[]> {
	const config = readConfig(context);
	const gateway = await findGateway(context);
	const known = gateway ? (await gateway.status()).platforms : [];
	return Promise.all(
		platformKinds
			.filter(({kind}) => only === undefined || kind === only)
			.map(async ({kind, title = kind, setUp = []}) => {
				const view: PlatformView = gateway
					? (known.find(({name}) => name === kind) ?? {name: kind, state: 'disabled'})
					: await lookAt(context, config, kind);
				const homeChannel = homeChannelOf(config, kind);
				return {
					...view,
					title,
					...(homeChannel !== undefined && {home_channel: homeChannel}),
					...(only !== undefined && {set_up: setUp}),
				};
			}),
	);
}

/** The state of a platform without a gateway; checked if usable. */
async function lookAt(context: Context, config: Config, kind: string): Promise<PlatformView> {
	await using deliverer = openDeliverer(context, config);
	const view = deliverer.platforms().find(({name}) => name === kind);
	if (view?.state !== 'connected') {
		return view ?? {name: kind, state: 'disabled'};
	}

	// The check has its own time limit.
	const health = await deliverer.examine(kind, 'default', new AbortController().signal);
	return health && health.health !== 'ok'
		? {name: kind, state: 'failed', reason: health.found}
		: view;
}
