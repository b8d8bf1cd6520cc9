import {controlGroups} from '../../../tools/sandbox/control-group.ts';
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
			const groups = controlGroups();
			const count = groups.works
				? 'in a control group of the kernel'
				: `by looking every 25 ms (no control group: ${groups.reason})`;
			return ok(
				`${probe.name}, ${probe.program}; processes and memory of a call are ${process.platform === 'linux' ? `counted ${count}` : 'not counted'}`,
			);
		}

		return warning(
			`no sandbox works here: ${probe.reason}; ${required ? 'the toolsets terminal and file are not offered' : 'each call of terminal and file asks (sandbox.required: false)'}`,
			'svc help sandbox',
		);
	},
};
