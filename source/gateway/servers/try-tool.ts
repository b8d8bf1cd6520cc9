import {randomUUID} from 'node:crypto';
import {within} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import type {JsonObject} from '../../core/json.ts';
import type {Tool, ToolResult} from '../../core/tool.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {askForCall, faceName} from '../approvals/approval-log.ts';
import {maxTryMs} from '../contract/servers.ts';
import type {Rooms} from '../rooms.ts';

/**
 * Calls a tool as a run would, including approval by a rule or a person: trying a call does not count as approving it.
 *
 * @throws SvcError `tool_not_found`, `tool_denied`, `tool_timeout`
 */
export async function tryTool(
	world: Pick<Rooms, 'clock' | 'servers' | 'approvals' | 'live' | 'log'>,
	options: {
		readonly name: string;
		readonly args: JsonObject;
		/** The face's description of itself. */
		readonly by: string;
		readonly profile?: string;
		/** Ends the call and its request for approval when it aborts. */
		readonly hungUp?: AbortSignal;
	},
): Promise<ToolResult> {
	const {name, args, by, profile = 'default', hungUp} = options;
	const {clock, servers, approvals, live, log} = world;
	const controller = new AbortController();
	const signal = AbortSignal.any([controller.signal, ...(hungUp ? [hungUp] : [])]);
	const cancel = clock.after(maxTryMs, () => {
		controller.abort(
			new SvcError(
				'tool_timeout',
				`Cannot finish the call of tool "${name}" within ${maxTryMs / 60_000} minutes`,
			),
		);
	});
	try {
		const find = async (isNeeded?: () => boolean) =>
			toolNamed(name, await servers.toolsOf(profile, signal, isNeeded && {isNeeded}));
		// A tool that is already there need not wait for other servers.
		const tool = (await find(() => false)) ?? (await find());
		if (!tool) {
			throw notFound(name);
		}

		if (tool.needsApproval) {
			const {toolServers} = live.current();
			const call = {args, callId: randomUUID(), signal};
			const {allowed, reason} = await askForCall(tool, call, {approvals, toolServers});
			if (!allowed) {
				throw new SvcError('tool_denied', `Cannot call tool "${name}": ${reason}`);
			}
		}

		log.note('A person tries a tool', {tool: name, by: faceName(by), profile});
		return await within(tool.execute(args, {signal}), signal);
	} finally {
		cancel();
	}
}

const toolNamed = (name: string, servers: ReadonlyMap<string, readonly Tool[]>): Tool | undefined =>
	[...servers.values()].flat().find(other => other.name === name);

const notFound = (name: string): SvcError =>
	new SvcError(
		'tool_not_found',
		`Cannot find tool "${escapeLine(name, 100)}": see "svc mcp list" for the servers and "svc mcp status NAME" for the tools of one`,
	);
