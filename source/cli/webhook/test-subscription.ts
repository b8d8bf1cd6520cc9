import {SvcError} from '../../core/errors.ts';
import type {Context} from '../context.ts';
import {requireGateway} from '../gateway-access.ts';
import {printJson, printLines} from '../print.ts';
import {notFound} from './receiver-facts.ts';

/** Sends a test event to a subscription of the running gateway; prints status and body. Routes of config.yaml are refused. */
export async function testSubscription(
	context: Context,
	{
		name,
		payload,
		event,
		json,
	}: {
		readonly name: string;
		readonly payload?: string;
		readonly event?: string;
		readonly json?: boolean;
	},
): Promise<void> {
	const gateway = await requireGateway(context);
	const route = (await gateway.listRoutes()).find(view => view.name === name);
	if (route?.source === 'static') {
		throw new SvcError(
			'route_is_static',
			`Cannot test route "${name}": it is in config.yaml, only subscriptions can be tested`,
		);
	}

	if (!route) {
		throw notFound(context, name);
	}

	const answer = await gateway.sendTestEvent(name, {
		...(payload !== undefined && {payload}),
		...(event !== undefined && {event}),
	});
	if (json) {
		printJson(context, answer);
	} else {
		printLines(context, [`${answer.status} ${answer.body}`]);
	}

	context.exit(answer.status < 400 ? 0 : 1);
}
