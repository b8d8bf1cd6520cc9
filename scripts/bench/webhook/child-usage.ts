import type {ServerMessage, ServerQuestion} from './messages.ts';

const tell = (message: ServerMessage) => {
	process.send?.(message);
};

/** The side of a server under test that talks to the benchmark: says its port, answers how much CPU it has used, ends when asked. */
export function answerBenchmark(port: number, stop: () => Promise<void>): void {
	const end = () => {
		void stop().finally(() => {
			process.exit();
		});
	};

	process.on('message', (question: ServerQuestion) => {
		if (question === 'stop') {
			end();
			return;
		}

		const {userCPUTime, systemCPUTime} = process.resourceUsage();
		tell({type: 'usage', cpuMicros: userCPUTime + systemCPUTime});
	});
	process.on('disconnect', end);
	tell({type: 'listening', port});
}
