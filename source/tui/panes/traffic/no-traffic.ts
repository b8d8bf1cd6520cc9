import {routePath} from '../../../core/route-path.ts';
import type {GatewayState} from '../../../core/state.ts';

/** Why nothing was received, and what helps: what the receiver is about. */
export function noTraffic({webhook, routes}: GatewayState): readonly string[] {
	switch (webhook.state) {
		case 'starting':
			return ['◐ The receiver is starting.', 'Deliveries appear here as they come.'];
		case 'refused':
			return [
				'No deliveries: the receiver is not running.',
				`Why: ${webhook.reason}`,
				'Mend the cause, then press r to try again.',
			];
		case 'disabled':
			return [
				'No deliveries: the webhook receiver is switched off.',
				'Set platforms.webhook.enabled: true in config.yaml, or run `svc gateway setup`.',
			];
		case 'closed':
			return ['No deliveries: the receiver is closed.', 'The gateway is stopping or has stopped.'];
		case 'listening': {
			const route = routes.find(({problem}) => problem === undefined);
			return route === undefined
				? [
						'No deliveries yet, and no route to send them to.',
						'Add one: `svc webhook subscribe NAME --prompt "…"`',
					]
				: [
						'No deliveries yet.',
						`POST to ${webhook.url.replace(/\/$/, '')}${routePath(route)}`,
						'y copies a signed curl line, T sends a test event.',
					];
		}
	}
}
