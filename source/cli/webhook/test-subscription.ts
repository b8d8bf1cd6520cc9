import {subscriptionNotFound} from '../../config/subscriptions.ts';
import {subscriptionsText} from '../../config/text-files.ts';
import type {Delivery} from '../../core/delivery.ts';
import {SvcError} from '../../core/errors.ts';
import {compact} from '../../core/names.ts';
import type {GatewayCommands} from '../../gateway/port.ts';
import {missingWord} from '../../nouns/delivery/delivery-word.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tellEach} from '../console/print.ts';
import {requireGateway} from '../home/gateway-access.ts';

/** Sends a test event to a dynamic route of the running gateway; prints status and body. Refuses routes of config.yaml. */
export async function testSubscription(
	context: Context,
	name: string,
	{
		json = false,
		...sent
	}: Parameters<GatewayCommands['sendTestEvent']>[1] & {readonly json?: boolean},
): Promise<void> {
	const gateway = await requireGateway(context);
	const route = (await gateway.listRoutes()).find(view => view.name === name);
	if (route?.source === 'static') {
		throw new SvcError(
			'route_is_static',
			`Cannot test route "${name}": it is in config.yaml, only dynamic routes can be tested`,
		);
	}

	if (!route) {
		throw subscriptionNotFound(name, subscriptionsText(context.paths()).name);
	}

	const newest = async () => (await gateway.listDeliveries({route: name, limit: 1}))[0];
	const before = await newest();
	const answer = await gateway.sendTestEvent(name, sent);
	if (json) {
		printJson(context, answer);
	} else {
		printLines(context, [`${answer.status} ${answer.body}`]);
		const delivery = await newest();
		// Shown only if certain: the journal may not have the delivery yet, or another one may have arrived.
		if (delivery && delivery.id !== before?.id && delivery.status === answer.status) {
			tellEach(context, compact([whatCame(delivery), missingWord(delivery.trace)]));
		}
	}

	context.exit(answer.status < 400 ? 0 : 1);
}

/** The step that ended an ignored event, and where to see the rest. */
function whatCame({id, outcome, trace}: Delivery): string {
	const stop = trace.find(({verdict}) => verdict === 'stop');
	const why =
		outcome.startsWith('ignored') && stop ? `Ignored by its ${stop.step}: ${stop.detail}; ` : '';
	return `${why}${why === '' ? 'See' : 'see'} "svc deliveries show ${id}"`;
}
