import {once} from 'node:events';
import {createServer, type RequestListener, type Server} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import {type AddressInfo, isIP, type LookupFunction} from 'node:net';
import {createSecureContext} from 'node:tls';
import {buildConnector} from 'undici';
import {readHostRule} from '../../../source/core/hosts.ts';
import {createRedact} from '../../../source/core/redact.ts';
import type {ToolResult} from '../../../source/core/tool.ts';
import type {WebConnections} from '../../../source/tools/web/fetch-page.ts';
import {webFetchTool} from '../../../source/tools/web/web-fetch.ts';
import {createFakeClock} from '../../helpers/fake-clock.ts';

const publicAddress = '93.184.216.34';

/**
 * A web of one server on this machine. The tool judges what `names` resolve to (else a public address), and what it then would connect to is written down; the connection itself is made to the
 * server, whatever the port.
 */
export async function openLocalWeb(
	listener: RequestListener,
	{
		names = {},
		hosts = ['*'],
		secrets = [],
		tls,
		ca,
	}: {
		/** The answers to each look-up of a name, the last one again and again. */
		readonly names?: Readonly<Record<string, ReadonlyArray<readonly string[]>>>;
		readonly hosts?: readonly string[];
		readonly secrets?: readonly string[];
		readonly tls?: {readonly key: string; readonly cert: string};
		/** The authority that the tool trusts. */
		readonly ca?: string;
	} = {},
) {
	const server: Server = tls ? createTlsServer(tls, listener) : createServer(listener);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
	const {port} = server.address() as AddressInfo;
	const clock = createFakeClock();
	const reached: string[] = [];
	const lookups = new Map<string, number>();

	const connections: WebConnections = {
		...(ca !== undefined && {secureContext: () => createSecureContext({ca})}),
		async resolve(host) {
			const count = lookups.get(host) ?? 0;
			lookups.set(host, count + 1);
			const answers = names[host] ?? [[publicAddress]];
			return (answers[Math.min(count, answers.length - 1)] ?? []).map(address => ({
				address,
				family: isIP(address),
			}));
		},
		buildConnector(options) {
			// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the tool gives
			const guarded = (options as {lookup: LookupFunction}).lookup;
			const dial = buildConnector({
				...options,
				lookup(host, asked, callback) {
					guarded(host, {...asked, all: true}, (error, found) => {
						if (error) {
							callback(error, '', 0);
							return;
						}

						reached.push(
							...[found].flat().map(each => (typeof each === 'string' ? each : each.address)),
						);
						callback(null, [{address: '127.0.0.1', family: 4}]);
					});
				},
			});
			return (target, callback) => {
				const host = target.hostname.replaceAll(/^\[|\]$/g, '');
				const isLiteral = isIP(host) !== 0;
				if (isLiteral) {
					reached.push(host);
				}

				dial({...target, ...(isLiteral && {hostname: '127.0.0.1'}), port: `${port}`}, callback);
			};
		},
	};
	const tool = webFetchTool(
		{clock, redact: createRedact(() => secrets)},
		{
			hosts: () => hosts.flatMap(text => readHostRule(text) ?? []),
			connections,
		},
	);

	return {
		clock,
		/** Addresses that were connected to. */
		reached,
		lookups,
		fetch: async (url: unknown, signal = new AbortController().signal): Promise<ToolResult> =>
			tool.execute({url} as never, {signal}),
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
