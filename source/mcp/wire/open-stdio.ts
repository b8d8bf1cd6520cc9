import {stripVTControlCharacters} from 'node:util';
import type {StdioEndpoint} from '../../config/tool-server.ts';
import {cell} from '../../core/untrusted.ts';
import {explain} from './explain.ts';
import type {OpenedTransport, OpenOptions} from './open-transport.ts';
import {createStderrMemory} from './stderr-memory.ts';
import {createStdioTransport} from './stdio-transport.ts';
import {redactAlso, type ServerAt, type TransportParts} from './transport-parts.ts';

const maxLogLineLength = 2000;
const maxLastLineLength = 300;

/** Makes the way to a stdio server; nothing runs before `start()`. */
export function openStdio(
	server: ServerAt<StdioEndpoint>,
	{signal, secrets, onLost = () => {}}: OpenOptions,
	{clock, log, redact, environment, groups, stderrLog}: TransportParts,
): OpenedTransport {
	const hide = redactAlso(redact, secrets);
	const said = createStderrMemory(clock);
	const transport = createStdioTransport({
		endpoint: server.endpoint,
		environment,
		clock,
		groups,
		onStderr(line) {
			const text = cell(hide(stripVTControlCharacters(line)), maxLogLineLength).text;
			if (text.trim() !== '') {
				said.push(cell(text, maxLastLineLength).text);
				stderrLog.write(server.name, text);
			}
		},
		onLost,
	});
	const end = () => {
		void transport.close();
	};

	signal.addEventListener('abort', end, {once: true});
	return {
		transport,
		lastStderr: () => said.last(),
		complaint: () => said.reason(transport.facts()),
		exit: () => transport.facts().exit,
		explain(error) {
			const process = transport.facts();
			const {isEstablished} = process;
			return explain(error, {
				server,
				signal,
				redact: hide,
				isEstablished,
				hasSession: false,
				process,
				complaint: said.reason({isEstablished}),
			});
		},
		async [Symbol.asyncDispose]() {
			signal.removeEventListener('abort', end);
			await transport.close();
			const {noiseLines} = transport.facts();
			if (noiseLines > 0) {
				log.debug('A tool server printed lines that are no messages', {
					server: server.name,
					lines: noiseLines,
				});
			}
		},
	};
}
