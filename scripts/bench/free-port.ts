import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';

/** A port that nobody holds at the moment. */
export async function freePort(): Promise<number> {
	const server = createServer();
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const {port} = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return port;
}

/** Resolves when `/health` of that port answers 200; rejects after 20 s. */
export async function answering(port: number): Promise<void> {
	const pollMs = 5;
	const giveUpMs = 20_000;
	const end = performance.now() + giveUpMs;
	while (performance.now() < end) {
		const isOk = await fetch(`http://127.0.0.1:${port}/health`).then(
			async answer => {
				await answer.text();
				return answer.ok;
			},
			() => false,
		);
		if (isOk) {
			return;
		}

		await new Promise(resolve => {
			setTimeout(resolve, pollMs);
		});
	}

	throw new Error(`Nothing listened on port ${port} within ${giveUpMs} ms`);
}

/** The delay of the event loop that the gateway of that port says, milliseconds; `undefined` where it says none. */
export async function loopDelayMs(port: number): Promise<number | undefined> {
	const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
		async answer => answer.text(),
		() => '',
	);
	const seconds = /^svc_event_loop_delay_p99_seconds (\S+)$/m.exec(text)?.[1];
	return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000);
}
