import type {Approval} from '../../core/approval.ts';

/** All of a request as plain text, for the pager. */
export const pagedText = (approval: Approval): string =>
	approval.kind === 'tool'
		? [
				`${approval.tool.tool} on ${approval.tool.server}`,
				`arguments\n${JSON.stringify(approval.args, undefined, 2)}`,
				...(approval.lastArgs === undefined
					? []
					: [
							`arguments of the last call that was allowed\n${JSON.stringify(approval.lastArgs, undefined, 2)}`,
						]),
				`text by the server\n${approval.tool.description}`,
				`schema by the server\n${JSON.stringify(approval.tool.inputSchema, undefined, 2)}`,
			].join('\n\n')
		: `${approval.server}\n\n${approval.message}`;
