import {whyNoControlGroups} from '../../../tools/sandbox/control-group.ts';
import {probeSandbox} from '../../../tools/sandbox/probe-sandbox.ts';
import {type Check, failed, ok, unread, warning} from './check.ts';

/** Whether commands of agents can be kept in. Without a sandbox only what uses one is missing. */
export const sandbox: Check = {
	subject: 'sandbox',
	asks: true,
	async look({context: {environment}, config}) {
		if (!config) {
			return unread;
		}

		const {required, broken} = config.sandbox;
		if (broken !== undefined) {
			return failed(broken, 'svc config check');
		}

		const probe = await probeSandbox(environment);
		if (probe.works) {
			return ok(
				`${probe.name}, ${probe.program}; processes and memory of a call are ${howCounted(process)}`,
			);
		}

		return warning(
			`no sandbox works here: ${probe.reason}; ${required ? 'the toolsets terminal and file are not offered' : 'each call of terminal and file asks (sandbox.required: false)'}`,
			'svc help sandbox',
		);
	},
};

/** This process is in another group than the gateway: it can tell what the machine has, and no more. */
function howCounted({platform}: Pick<NodeJS.Process, 'platform'>): string {
	if (platform !== 'linux') {
		return 'not counted';
	}

	const reason = whyNoControlGroups();
	return reason === undefined
		? 'counted in a control group where the gateway may make some, else by looking every 25 ms: it finds out with its first call'
		: `counted by looking every 25 ms (no control group: ${reason})`;
}
