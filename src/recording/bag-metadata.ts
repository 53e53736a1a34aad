import { isMap, isSeq, parse, parseDocument, stringify } from 'yaml';
import type { Labels, RecordingFacts } from './messages.ts';
import { qosOf } from './ros-schemas.ts';

/** Name of the file by which rosbag2 recognises a folder as a recording. */
export const BAG_METADATA = 'metadata.yaml';
/** First version with a place for labels (`custom_data`); Humble to Lyrical read it. */
const VERSION = 6;

/** Key of the reason for which an episode was broken off; missing if it was not. */
const EARLY = 'ended_early';
const LABELS = ['task', 'operator', 'verdict'] as const;

/** `metadata.yaml` of an episode. @param file name of its MCAP file */
export function bagMetadata(facts: RecordingFacts, file: string): string {
  const starting_time = { nanoseconds_since_epoch: Math.round(facts.began * 1e6) * 1000 };
  const duration = { nanoseconds: Math.round(facts.duration * 1e6) * 1000 };
  const message_count = facts.messages;
  return stringify({
    rosbag2_bagfile_information: {
      version: VERSION,
      storage_identifier: 'mcap',
      duration,
      starting_time,
      message_count,
      topics_with_message_count: facts.topics.map(({ name, type, messages }) => ({
        topic_metadata: { name, type, serialization_format: 'cdr', offered_qos_profiles: qosOf(name) },
        message_count: messages,
      })),
      compression_format: '',
      compression_mode: '',
      relative_file_paths: [file],
      files: [{ path: file, starting_time, duration, message_count }],
      custom_data: {
        ...Object.fromEntries(LABELS.map((label) => [label, facts[label]])),
        ...(facts.endedEarly === '' ? {} : { [EARLY]: facts.endedEarly }),
      },
    },
  });
}

/**
 * `metadata.yaml` of a bag with other labels and another name of its file. Everything else stays as its writer left it,
 * which rosbag2 offers to players: QoS, type hashes, distribution.
 * @returns null if the text is none that names files
 */
export function relabelled(text: string, labels: Labels, file: string): string | null {
  const document = parseDocument(text, { intAsBigInt: true });
  const bag = document.get('rosbag2_bagfile_information');
  if (document.errors.length > 0 || !isMap(bag) || !isSeq(bag.get('relative_file_paths'))) return null;
  bag.set('relative_file_paths', document.createNode([file]));
  if (isSeq(bag.get('files'))) bag.setIn(['files', 0, 'path'], file);
  if (!isMap(bag.get('custom_data'))) bag.set('custom_data', document.createNode({}));
  for (const label of LABELS) bag.setIn(['custom_data', label], labels[label]);
  return document.toString({ lineWidth: 0 });
}

/** Labels from the `metadata.yaml` of an episode, and why it was broken off; missing ones are omitted. */
export function labelsIn(text: string): Partial<Labels & Pick<RecordingFacts, 'endedEarly'>> {
  try {
    const { custom_data: said } = (
      parse(text) as { rosbag2_bagfile_information: { custom_data?: Labels & { [EARLY]?: string } } }
    ).rosbag2_bagfile_information;
    const early = said?.[EARLY];
    return {
      ...Object.fromEntries(
        LABELS.flatMap((label) => (typeof said?.[label] === 'string' ? [[label, said[label]]] : [])),
      ),
      ...(typeof early === 'string' ? { endedEarly: early } : {}),
    };
  } catch {
    return {};
  }
}
