import {randomOf, runSeed} from '../../tests/helpers/random.ts';
import {killChats} from '../../tests/soak/chat-kills.ts';

const messagesPerKill = 20;
const usualKills = 50;

/** 1,000 messages over 50 kills unless said otherwise. */
export async function soakChats({
	rounds: kills = usualKills,
}: {
	readonly rounds: number | undefined;
}): Promise<boolean> {
	const report = await killChats({
		messages: kills * messagesPerKill,
		kills,
		random: randomOf(runSeed),
	});
	process.stdout.write(`${JSON.stringify({seed: runSeed, ...report}, undefined, 2)}\n`);
	return report.wrong.length === 0;
}
