// Made of src/http by test/http/generated.test.ts: do not edit.
// biome-ignore-all format: the generator has its own
// biome-ignore-all lint: likewise

export interface paths {
    "/move/init": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move to the initial pose
         * @description Torque on if it is off, then to the pose `init`. The pose that it reaches is the zero of the absolute frame. It comes before /move/absolute.
         */
        post: operations["move_init"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/move/absolute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move to an absolute position
         * @description Moves the end effector in the absolute frame. /move/init comes first. The answer comes when the motion has ended: after 30 s at most, or longer in proportion where the arm is slowed. A client that hangs up makes its arm decelerate to a hold.
         */
        post: operations["move_absolute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/move/relative": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move relative to the present goal
         * @description From the present goal of the end effector, not from where it is measured. /move/init comes first.
         */
        post: operations["move_relative"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/move/hello": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Greet
         * @description Moves to the pose `hello`, waves twice with the wrist and stays there. The gripper keeps what it holds.
         */
        post: operations["move_hello"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/move/sleep": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go to sleep
         * @description Lowers the arm to the pose `rest` and switches its torque off there. One that does not get down holds.
         */
        post: operations["move_sleep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/end-effector/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the end effector
         * @description Measured position, orientation and opening of the end effector in the absolute frame.
         */
        post: operations["end_effector_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/move/teleop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lead the end effector by a hand
         * @description One message of a stream: the tool moves as the hand has since the first. 0.2 s without a message and the arm holds; the next one begins anew from where it is. The same messages are taken by the WebSocket /move/teleop/ws.
         */
        post: operations["move_teleop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teleop/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change how hands lead arms, and what leaders feel
         * @description A hand that leads an arm is taken up anew from where both are. Force feedback goes within 0.1 s to the pairs that the client has started, or with take_over to all. Whoever has started none may lower that of the others.
         */
        post: operations["teleop_settings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teleop/settings/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read how hands lead arms
         * @description How far the tools of all arms move for the way of a hand.
         */
        post: operations["teleop_settings_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/move/teleop/udp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a UDP port for the messages of a hand
         * @description Takes the messages of /move/teleop as datagrams from the computer that asks for it. About once a second the sender is told how many were followed. A port to which nothing comes for ten minutes is closed.
         */
        post: operations["move_teleop_udp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/move/teleop/udp/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close the UDP port
         * @description What still comes moves nothing, and an arm that was led holds.
         */
        post: operations["move_teleop_udp_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/move/leader/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start leader-follower control
         * @description Answers when the pairs are set up; the followers then approach their leaders slowly. Mirroring goes on when the client goes.
         */
        post: operations["move_leader_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/move/leader/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop leader-follower control
         * @description The followers hold where they are. Leaders that floated hold, and are lowered and released. Anybody may stop it.
         */
        post: operations["move_leader_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gravity/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start gravity compensation
         * @description The arm supports its weight, or the given share of it, and yields to the hand.
         */
        post: operations["gravity_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gravity/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop gravity compensation
         * @description The arm holds where it is. Anybody may stop it.
         */
        post: operations["gravity_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop and hold
         * @description Latched: the arms decelerate, hold, and refuse every motion until /stop/reset.
         */
        post: operations["stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stop/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave the stop
         * @description The arms hold and belong to nobody; nothing moves by itself.
         */
        post: operations["stop_reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop and hold
         * @description The same as without /api/v1. Latched: the arms decelerate, hold, and refuse every motion until /api/v1/stop/reset.
         */
        post: operations["api_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stop/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave the stop
         * @description The same as without /api/v1. The arms hold and belong to nobody; nothing moves by itself.
         */
        post: operations["api_stop_reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/joints/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read joints
         * @description Angles of single joints, as measured or as asked for.
         */
        post: operations["joints_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/joints/write": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move joints
         * @description Answers once the goal is accepted, not when it is reached. The newest goal wins.
         */
        post: operations["joints_write"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/torque/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read torques
         * @description What each joint gives at this moment.
         */
        post: operations["torque_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/torque/toggle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch torque on or off
         * @description On: the arm holds where it is. Off: it is lowered first, unless `force` is true.
         */
        post: operations["torque_toggle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voltage/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read voltages
         * @description As the servos measure their supply.
         */
        post: operations["voltage_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/temperature/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read temperatures
         * @description As the servos measure them, and where each of them switches itself off.
         */
        post: operations["temperature_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/temperature/write": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Limit temperatures
         * @description Written to the servos, which keep it: where each of them switches itself off.
         */
        post: operations["temperature_write"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/robot/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the configuration of an arm
         * @description What the bridge knows of its servos and its gripper.
         */
        post: operations["robot_config"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/robot/add-connection": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Connect an arm
         * @description One that has been disconnected, or one that is added: on a port that /local/scan-devices shows, or simulated where the configuration has simulated arms. Torque stays as it is. Answers once the arm does.
         */
        post: operations["add_connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/robot/disconnect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disconnect an arm
         * @description It is lowered and its torque switched off, then its bus is let go of. Mirroring with it ends. Its id stays its own.
         */
        post: operations["disconnect_robot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/local/scan-devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List the serial ports of this machine
         * @description Only looks; nothing is opened.
         */
        post: operations["scan_devices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/recording/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record the joints of an arm
         * @description As measured, whoever drives it or leads it by hand.
         */
        post: operations["recording_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/recording/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a recording
         * @description The file is complete with the answer.
         */
        post: operations["recording_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/recording/play": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a recording
         * @description Goes to its first pose by a checked move, then replays it. Answers when the motion has ended.
         */
        post: operations["recording_play"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what can be set up, and how far a set-up is
         * @description Only looks; nothing is opened.
         */
        get: operations["setup"];
        put?: never;
        /**
         * Begin to set an arm up
         * @description Looks which of its servos answer, and keeps the bus from everybody else until the arm is set up, the set-up is ended, or its client has been gone for 30 s. Writes nothing; no step switches torque on.
         */
        post: operations["setup_begin"];
        /**
         * End a set-up
         * @description What has been written stays; another set-up of the same arm goes on from there.
         */
        delete: operations["setup_end"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/setup/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Do what is to be done at the present step of a set-up
         * @description Answers when it has been done, or with `fault` when it has not: the step stays then. Only `give`, `reassign` and `set_registers` write to servos, and only to limp ones; only `enter` writes the configuration and adds the arm to the bridge.
         */
        post: operations["setup_next"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/setup/verdict": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say whether a new pair goes the right way
         * @description Until then the follower is no faster than 0.4 rad/s.
         */
        post: operations["setup_verdict"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/setup/hand": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move the hand that builds a simulated kit
         * @description Answers when the hand is there. Of arms that are practised with only.
         */
        post: operations["setup_hand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calibrate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Calibrate an arm, a step at each call
         * @description Each call carries out the present step, if what it needs has been done, and answers what to do before the next one. The servos get their offsets after the third call; before they are kept every joint moves a little, to be looked at.
         */
        post: operations["calibrate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/arms/{name}/calibration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how far a calibration is
         * @description Its step, and of each joint what it has been led over. Once it is over, 404 tells how it has ended.
         */
        get: operations["calibration"];
        put?: never;
        post?: never;
        /**
         * End a calibration without keeping it
         * @description An arm that holds goes limp within 2 s: take hold of it first. Its servos get back what they had.
         */
        delete: operations["calibration_cancel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/episode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The running episode
         * @description Its name, arms and task, for how long it has been recorded, whether it has ended early, and cameras of which nothing comes; null while there is none.
         */
        get: operations["episode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/episode/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record an episode
         * @description All that the arms do, in each cycle of the control loop, until it is stopped. It moves nothing.
         */
        post: operations["episode_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/episode/mark": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a mark into the episode
         * @description An event with a text, at the present time.
         */
        post: operations["episode_mark"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/episode/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the episode
         * @description Its file is complete with the answer, or gone.
         */
        post: operations["episode_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recordings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the recordings
         * @description The newest first, with the room that is left for more. Those that cannot be read, which says `problem`, count by the time of their file.
         */
        get: operations["recordings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recordings/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Facts of a recording
         * @description Facts of the recording, with its topics.
         */
        get: operations["recording"];
        put?: never;
        /**
         * Rename a recording, or say what it shows
         * @description What is left out stays as it is. Task, operator and verdict are those of episodes.
         */
        post: operations["recording_change"];
        /**
         * Delete a recording
         * @description Its file, or the folder of its episode.
         */
        delete: operations["recording_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recordings/{name}/samples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a recorded arm's joints as curves
         * @description Samples at even distances, each as it was recorded; for more of a part ask for that part. Fewer than were asked for where the arm has many joints: an answer has less than 64 kB.
         */
        get: operations["recording_samples"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recordings/{name}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Predict a replay
         * @description What an arm would do of a recording, and what of it that arm cannot reach: of another model above all. Nothing moves. The moments lie at even distances; `refusal` goes by each sample, as a replay does.
         */
        get: operations["recording_foresee"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recordings/{name}/trim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a part of a recording one of its own
         * @description In the same dataset, with the same task, operator and verdict. The recording itself stays until it is deleted.
         */
        post: operations["recording_trim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/recordings/{name}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a recording
         * @description Its MCAP file, or one range of its bytes (`Range`, answered with 206). Of a recording that could not be saved, the bytes that were written.
         */
        get: operations["recording_download"];
        put?: never;
        /**
         * Upload a recording
         * @description Of at most 256 MiB, whose length the request says (Content-Length). It is kept when it is an MCAP file with joint states.
         */
        post: operations["recording_upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/arms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the arms
         * @description What they are and how they are at this moment.
         */
        get: operations["arms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/arms/{name}/urdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * URDF of an arm
         * @description The model as it is in the folder of the arm, with an ETag.
         */
        get: operations["arm_urdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/arms/{name}/motion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What drives an arm
         * @description The motion that is under way, and who asked for it.
         */
        get: operations["arm_motion"];
        put?: never;
        post?: never;
        /**
         * End what drives an arm
         * @description The arm decelerates and holds. It is not stopped: the next motion may begin at once.
         */
        delete: operations["arm_motion_cancel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/arms/{name}/take-over": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take an arm
         * @description From whoever drives it, who is told; the arm holds, and is the caller’s until it is released.
         */
        post: operations["arm_take_over"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/arms/{name}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an arm back
         * @description What the caller drives it with ends; the arm holds.
         */
        post: operations["arm_release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/arms/{name}/reachable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask what /move/absolute would do
         * @description With the body of /move/absolute, in its units; nothing moves.
         */
        post: operations["arm_reachable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/arms/{name}/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask who has an arm for it
         * @description Nothing moves: who has the arm, or has started the pair that has it, is asked on the live stream, and answers within a minute or not. Asked again, the same ask says how it stands. Whoever will not wait takes the arm over.
         */
        post: operations["arm_ask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/arms/{name}/ask/{ask}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an arm away, or not now
         * @description For who is asked. An arm that is given away holds and is free, as by release; pairs that it is of end. Who has asked is told on the live stream.
         */
        post: operations["arm_ask_answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/arms/{name}/motions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the motions of an arm
         * @description Those under way and the newest that are over, of whoever asked for them by HTTP, by the older routes too.
         */
        get: operations["motions"];
        put?: never;
        /**
         * Begin a motion
         * @description Answers once the motion has been planned and the arm is the client’s. The motion goes on when the client hangs up, until the client has not been heard for 30 s. A request with the same Idempotency-Key as one before is that motion.
         */
        post: operations["motion_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/arms/{name}/motions/{motion}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * State of a motion
         * @description How far it is, or what came of it.
         */
        get: operations["motion"];
        put?: never;
        post?: never;
        /**
         * Cancel a motion
         * @description Answers when the arm has decelerated and holds, or after 2 s. It is not stopped: the next motion may begin at once.
         */
        delete: operations["motion_cancel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/arms/{name}/chunks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Follow a chunk of a policy
         * @description Positions with time stamps, which take over smoothly from those of the chunk before. Points whose time has passed are skipped. The first chunk begins a motion, the others go on with it; when no other comes before the last one has run out, the arm comes to rest and holds.
         */
        post: operations["chunk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * State of the bridge and its arms
         * @description Arms, pairs, ROS 2 and the control loop; some fields are there for clients of phosphobot alone.
         */
        get: operations["status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the bridge works
         * @description Needs no token.
         */
        get: operations["healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether all arms are connected, and ROS 2 is on where it is demanded
         * @description Needs no token.
         */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures for Prometheus
         * @description Of loop, arms, buses, servos, pairs, HTTP and ROS 2; their names begin with `arm_bridge_`.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who did what
         * @description Motions, torque, stops, take-overs, calibrations and changes of the configuration, by HTTP, by ROS 2 and by the bridge itself. The bridge keeps the newest thousand. To go back further than one answer, repeat the request with `before` set to the `id` of its last entry, until the answer is empty. The live stream sends entries as they come.
         */
        get: operations["events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pairs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Pairs that mirror
         * @description State, rate and latency of each pair, and why mirroring stopped.
         */
        get: operations["pairs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The configuration in use
         * @description As it was read at the start, with arms that were added since.
         */
        get: operations["config"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest lines of the log
         * @description The newest lines from number `start` on and before number `before`, as many as fit into 64 kB. The bridge keeps a thousand.
         */
        get: operations["log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bridge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This bridge in short
         * @description What other bridges ask: its name, and how its arms are.
         */
        get: operations["bridge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bridges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All bridges of the laboratory
         * @description This one, those of `fleet.bridges`, and those found on the network with `fleet.discovery`; each is asked every second. If `others` has fewer than `total`, repeat the request with `offset` for the rest.
         */
        get: operations["bridges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bridges/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop all arms of all bridges
         * @description As `/stop` of each of them, all at once, on its port for stops too. It reaches a bridge as well as the network does: the power switch stays the last word.
         */
        post: operations["bridges_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bridges/targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All bridges, for Prometheus
         * @description What `http_sd_configs` of Prometheus reads: this bridge, those of `fleet.bridges`, and those that have been found and have proved by `fleet.authority` that they belong to it, each with its scheme and name (its URL until it has been heard). Just after a start it is answered when each of `fleet.bridges` has answered or is silent, which takes 5 s at most.
         */
        get: operations["bridges_targets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pairs/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start one pair
         * @description Beside those that run. Its follower may be an arm of another machine: then it is as if the configuration named that arm with `bus: ros`, as long as the pair runs.
         */
        post: operations["pairs_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pairs/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End one pair
         * @description Its follower holds. A leader that floated for it alone is lowered and released.
         */
        post: operations["pairs_end"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bridges/pairs/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a pair of any two arms of the laboratory
         * @description The bridge of the leader carries it out, and brings it to the bridge of the follower over ROS 2. What their bridges say against it is told before anything begins. The token of the other bridges (`fleet.token_file`) has to be one that may control.
         */
        post: operations["bridges_pairs_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bridges/pairs/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a pair of any bridge
         * @description As `POST /api/v1/pairs/end` of the bridge that has the leader.
         */
        post: operations["bridges_pairs_end"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch arms, pairs, the loop, the log and who does what
         * @description Server-sent events without an end. A request that asks for a WebSocket gets one, which takes messages too: see /asyncapi.json.
         */
        get: operations["live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a token for a cookie
         * @description For pages: the cookie is kept from scripts and from other sites, and ends after 12 hours.
         */
        post: operations["session_open"];
        /**
         * End the session of a page
         * @description The cookie is of no use from then on, and the page forgets it.
         */
        delete: operations["session_close"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How others may look on
         * @description What the page puts into its QR code: where it is opened, and the token that may only look and stop.
         */
        get: operations["invitation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sim/hand": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lead a simulated arm by hand
         * @description A spring and damper of limited force in the physics. In simulation only.
         */
        post: operations["sim_hand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sim/truth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * State of the physics of a simulated arm
         * @description What the arm really does, beside what its encoders say. In simulation only.
         */
        get: operations["sim_truth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sim/objects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Objects before a simulated arm
         * @description Where they are in the physics and what presses on them; none where no scene stands before the arm.
         */
        get: operations["sim_objects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sim/objects/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move an object before a simulated arm by hand
         * @description A hand of limited force: it pushes nothing through anything, and an arm that holds the object may be stronger.
         */
        post: operations["sim_objects_move"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sim/objects/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put the objects before simulated arms back
         * @description To where the scene has them, at rest; the arms stay where they are.
         */
        post: operations["sim_objects_reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * AbsoluteMoveRequest
         * @description Lengths are centimetres and angles degrees, in the absolute frame: axes of the base (x forward, y left, z up), zero at the pose that /move/init reaches.
         */
        AbsoluteMoveRequest: {
            /**
             * @description Forward, in centimetres. Null or left out: keeps its present goal.
             * @default null
             */
            x?: number | null;
            /**
             * @description To the left, in centimetres. Null or left out: keeps its present goal.
             * @default null
             */
            y?: number | null;
            /**
             * @description Upwards, in centimetres. Null or left out: keeps its present goal.
             * @default null
             */
            z?: number | null;
            /**
             * @description Absolute pitch in degrees: positive lifts the nose. Null or left out: inverse kinematics takes the best value for it.
             * @default null
             */
            rx?: number | null;
            /**
             * @description Absolute yaw in degrees: positive turns left. Null or left out: inverse kinematics takes the best value for it.
             * @default null
             */
            ry?: number | null;
            /**
             * @description Absolute roll in degrees: positive is clockwise seen from behind. Null or left out: inverse kinematics takes the best value for it.
             * @default null
             */
            rz?: number | null;
            /**
             * @description Gripper: 0 closed to 1 open. Null or left out: the gripper stays as it is.
             * @default null
             */
            open?: number | null;
            /**
             * @description Most trials to come within tolerance.
             * @default 10
             */
            max_trials?: number;
            /**
             * @description Distance between asked and measured position that is near enough, in centimetres.
             * @default 0.5
             */
            position_tolerance?: number;
            /**
             * @description Smallest rotation to the asked angles that is near enough, in degrees.
             * @default 3
             */
            orientation_tolerance?: number;
            /**
             * @description joint: straight for the joints, the quickest way. line: the tool goes on a straight line.
             * @default joint
             * @enum {string}
             */
            path?: "joint" | "line";
        };
        /**
         * RelativeMoveRequest
         * @description From the present goal, in axes of the base frame. Angles that are left out are kept as far as the arm has the joints for it: an arm of five gives up the yaw. With `open` alone only the gripper acts.
         */
        RelativeMoveRequest: {
            /**
             * @description Forward, in centimetres. Null or left out: no change.
             * @default null
             */
            x?: number | null;
            /**
             * @description To the left, in centimetres. Null or left out: no change.
             * @default null
             */
            y?: number | null;
            /**
             * @description Upwards, in centimetres. Null or left out: no change.
             * @default null
             */
            z?: number | null;
            /**
             * @description Change of the pitch, in degrees. Null or left out: no change.
             * @default null
             */
            rx?: number | null;
            /**
             * @description Change of the yaw, in degrees. Null or left out: no change.
             * @default null
             */
            ry?: number | null;
            /**
             * @description Change of the roll, in degrees. Null or left out: no change.
             * @default null
             */
            rz?: number | null;
            /**
             * @description Gripper: 0 closed to 1 open. Null or left out: the gripper stays as it is.
             * @default null
             */
            open?: number | null;
            /**
             * @description Most trials to come within tolerance.
             * @default 10
             */
            max_trials?: number;
            /**
             * @description Distance between asked and measured position that is near enough, in centimetres.
             * @default 0.5
             */
            position_tolerance?: number;
            /**
             * @description Smallest rotation to the asked angles that is near enough, in degrees.
             * @default 3
             */
            orientation_tolerance?: number;
            /**
             * @description joint: straight for the joints, the quickest way. line: the tool goes on a straight line.
             * @default joint
             * @enum {string}
             */
            path?: "joint" | "line";
        };
        /** StatusResponse */
        StatusResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
        } & {
            [key: string]: unknown;
        };
        /** ValidationError */
        ValidationError: {
            /** @description Location of the fault: body or query, then fields and indexes. */
            loc: (string | number)[];
            msg: string;
            type: string;
        } & {
            [key: string]: unknown;
        };
        /** HTTPValidationError */
        HTTPValidationError: {
            /** @description At most 20, then how many more there are. */
            detail: components["schemas"]["ValidationError"][];
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id: string;
        };
        /** HTTPError */
        HTTPError: {
            /** @description What is wrong and what to do next. */
            detail: string;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id: string;
        };
        /**
         * ProblemDetails
         * @description An error as RFC 9457 has it, for those who accept application/problem+json.
         */
        ProblemDetails: {
            /** @description urn:arm-bridge:problem: and the code. */
            type: string;
            /** @description Text of the HTTP status. */
            title: string;
            /** @description HTTP status. */
            status: number;
            /** @description What is wrong and what to do next. */
            detail: string;
            /** @description What is wrong alone: `remedy` is the next step. */
            message: string;
            /** @description What is wrong, for programs: `unknown_arm`, `unknown_recording`, `disconnected`, `stopped`, `owned`, `not_initialised`, `uncalibrated`, `bad_pair`, `already_mirroring`, `no_sample`, `not_simulated`, `bad_request`, `unsupported`, `unavailable`, `unattended`, `internal`, `unauthorised`, `forbidden`, `not_found`, `method_not_allowed`, `too_slow`, `conflict`, `no_length`, `too_large`, `compressed`, `no_such_bytes`, `unknown_expectation`, `invalid`, `too_many`. More may come. */
            code: string;
            /** @description The next step, where another part of the bridge offers one. */
            remedy: ("init" | "reset" | "torque_on" | "take_over" | "stop_mirroring" | "stop_recording" | "list_ports" | "connect" | "calibrate") | null;
            /** @description Id of the request, as in X-Request-Id and in the log. */
            request_id: string;
            /** @description Faults of a request that fails validation. */
            errors?: components["schemas"]["ValidationError"][];
        };
        /** Activity */
        Activity: {
            /** @description trajectory, waypoints, chunks, mirror, stream, jog or float. */
            kind: string;
            /** @description Of its present leg, 0 to 1; null for a motion without an end. */
            progress: number | null;
        };
        /** ArmState */
        ArmState: {
            id: number;
            /** @enum {string} */
            state: "disconnected" | "connected" | "ready" | "moving" | "mirroring" | "floating" | "stopped";
            /** @description Client that has the arm; null if the arm is free. */
            owner: string | null;
            /** @description Time since which that client has the arm, seconds since the epoch; null if the arm is free. */
            owner_since: number | null;
            torque: boolean;
            /** @description Whether its own servos have stopped it: it may be lowered before it is reset. */
            failed: boolean;
            /** @description Whether /move/init has set the zero. */
            initialised: boolean;
            /** @description A calibration, or the model of a simulated arm, says where its joints are at zero. */
            calibrated: boolean;
            /** @description Joints that are measured beyond their limits. */
            outside_limits: string[];
            /** @description Why its angles may be wrong, so that motions need `uncalibrated=true`; empty otherwise. */
            doubt: string;
            /** @description Why it is disconnected or stopped; empty otherwise. */
            reason: string;
            /** @description Time of the bus read, seconds since the epoch; 0 before the first. */
            sampled: number;
            joints: {
                /** @description rad */
                position: (number | null)[];
                /** @description Where the joints are asked to be, rad; null without torque. */
                goal: (number | null)[];
                /** @description rad/s */
                velocity: (number | null)[];
                /** @description Nm, estimated by the servo. */
                effort: (number | null)[];
                /** @description Torque that something outside puts on the joint, Nm, estimated; null without torque. */
                external: (number | null)[];
                /** @description Degrees Celsius. */
                temperature: (number | null)[];
                /** @description V */
                voltage: (number | null)[];
                /** @description Alarm bits of the servo; 0 = healthy. */
                alarm: number[];
            };
            /** @description In the base frame; orientation as a quaternion x y z w. */
            tool: {
                /** @description x y z, m */
                position: [
                    number,
                    number,
                    number
                ];
                orientation: [
                    number,
                    number,
                    number,
                    number
                ];
            } | null;
            /** @description What the external torques mean at the tool, in axes of the base; null without torque. */
            wrench: {
                /** @description x y z, N */
                force: [
                    number,
                    number,
                    number
                ];
                /** @description x y z, Nm */
                moment: [
                    number,
                    number,
                    number
                ];
            } | null;
            /** @description Opening of the gripper, 0 closed to 1 open. */
            opening: number | null;
            /** @description What drives it; null: nothing. */
            motion: components["schemas"]["Activity"] | null;
        };
        /** ObjectPose */
        ObjectPose: {
            /** @description Id of the simulated arm in front of which the object stands. */
            robot_id: number;
            name: string;
            /** @description x y z in the base frame of the arm, m */
            position: [
                number,
                number,
                number
            ];
            /** @description As a quaternion x y z w. */
            orientation: [
                number,
                number,
                number,
                number
            ];
        };
        /** JointFacts */
        JointFacts: {
            name: string;
            role: string;
            lower: number;
            upper: number;
            /** @description Largest speed of moves, rad/s. */
            velocity: number;
            /** @description Largest torque that its servo gives, Nm. */
            torque_limit: number;
            /** @constant */
            unit: "rad";
            /** @description What it was led over while it was calibrated, laid about the middle of its limits: its angles at the least and at the greatest servo step. Its limits, where it was not calibrated. */
            travel: [
                number,
                number
            ];
            /** @description Calibrating found its servo the other way round than the data of the arm say. */
            turned: boolean;
            servos: {
                id: number;
                model: string;
            }[];
        };
        /** ArmFacts */
        ArmFacts: {
            id: number;
            name: string;
            /** @description Folder below robots/. */
            model: string;
            /** @description Build of the model. */
            variant: string;
            /** @description Name of the arm that leads it in the configuration; null: none. */
            leader: string | null;
            title: string;
            bus: string;
            simulated: boolean;
            /** @description Another machine owns its bus. */
            remote: boolean;
            base_link: string;
            tool_link: string;
            /** @description Pose of its base in the world: m and rad. */
            mount: {
                xyz: [
                    number,
                    number,
                    number
                ];
                rpy: [
                    number,
                    number,
                    number
                ];
            };
            joints: components["schemas"]["JointFacts"][];
            /** @description Index of its joint and its angles when closed and open. */
            gripper: {
                index: number;
                closed: number;
                open: number;
            } | null;
            /** @description Named poses, rad. */
            poses: {
                [key: string]: number[];
            };
            /** @description What the alarm bits of its servos mean, by the bit. */
            alarms: {
                [key: string]: string;
            };
        };
        /** PairState */
        PairState: {
            leader: string;
            follower: string;
            /** @enum {string} */
            state: "idle" | "starting" | "ramping" | "mirroring" | "holding";
            /** @description Client that started the pair. */
            owner: string;
            /** @description Time since which that client has it, seconds since the epoch. */
            owner_since: number;
            /** @description Goals written per second. */
            rate: number;
            /** @description From sample to goal, in seconds; null before the first. */
            latency: number | null;
            /** @description How much of what pushes the follower its leader feels while it floats, 0 to 1. */
            force_feedback: {
                arm: number;
                gripper: number;
            };
            /** @description Why the pair last stopped or held, or why the follower stays behind. */
            reason: string;
        };
        /** PairList */
        PairList: {
            /** @description Whether mirroring runs. */
            active: boolean;
            /** @description Why mirroring last stopped. */
            reason: string;
            pairs: components["schemas"]["PairState"][];
        };
        /** Percentiles */
        Percentiles: {
            p50: number;
            p99: number;
            longest: number;
        };
        /** CycleTiming */
        CycleTiming: {
            /** @description Over the last 10 s, in seconds. */
            recent: components["schemas"]["Percentiles"];
            /** @description Since the start, in seconds. */
            total: components["schemas"]["Percentiles"];
        };
        /**
         * LoopState
         * @description The control loop.
         */
        LoopState: {
            cycles: number;
            /** @description Configured rate, Hz. */
            rate: number;
            /** @description Cycles that began later than half a period. */
            late: number;
            /** @description What keeps this computer from keeping up; empty when it does. */
            trouble: string;
            /** @description Mean of the last second, s. */
            period: number;
            /** @description Of the last second, s. */
            longest_period: number;
            /** @description Real-time priority of the control thread; null without one. */
            priority: number | null;
            /** @description From the beginning of a cycle to that of the next. */
            periods: components["schemas"]["CycleTiming"];
            /** @description Time by which a cycle began too late. */
            lateness: components["schemas"]["CycleTiming"];
            /** @description From the beginning of a read until goals made of it had been written. */
            latency: components["schemas"]["CycleTiming"];
            /** @description Cycles of the last 10 s by their period. */
            period_histogram: {
                /** @description Width of a bin, in seconds; the first bin begins at 0. */
                width: number;
                /** @description Cycles of each bin; the last has all longer periods too. */
                counts: number[];
            };
        };
        /** RosState */
        RosState: {
            enabled: boolean;
            /** @description Why ROS is off; empty otherwise. */
            reason: string;
            distro: string | null;
            /** @description While ROS is off for now: what is being done so that it can be on. */
            preparing: {
                step: string;
                /** @description About how long until ROS is on, s. */
                left: number;
            } | null;
        };
        /** LogLine */
        LogLine: {
            /** @description Seconds since the epoch. */
            time: number;
            /** @description trace, debug, info, warn, error or fatal. */
            level: string;
            message: string;
        };
        /** ArmAsk */
        ArmAsk: {
            id: string;
            /** @description Name of the arm. */
            arm: string;
            /** @description Client that asks for the arm. */
            asker: string;
            /** @description Client that is asked: the owner of the arm, or whoever started the pair that uses it. */
            owner: string;
            /**
             * @description State of the request. `refused`: the owner said no. `over`: nobody answered, or the owner no longer has the arm.
             * @enum {string}
             */
            state: "open" | "given" | "refused" | "over";
            /** @description State of the request as a sentence. */
            message: string;
            /** @description Time until which the request can be answered, seconds since the epoch. */
            ends: number;
        };
        /** JournalEvent */
        JournalEvent: {
            /** @description Number of the entry; newer entries have larger numbers. */
            id: number;
            /** @description When the action began, seconds since the epoch. */
            time: number;
            /**
             * @description What was done.
             * @enum {string}
             */
            act: "motion" | "torque" | "halt" | "stop" | "reset" | "ask" | "take_over" | "release" | "mirroring" | "calibration" | "configuration" | "recording" | "simulation";
            /** @description Name of the arm; null if the action concerns several arms or none. */
            arm: string | null;
            /** @description Client that requested it. */
            who: string;
            /** @description Where the request came from: an address, this computer, ROS 2, or the bridge itself. */
            origin: string;
            /** @description Method and path of the request, or the ROS 2 service, action or topic. */
            what: string;
            /** @description Id of the HTTP request, as in X-Request-Id, or of the ROS 2 request; null if it was neither. */
            request_id: string | null;
            /** @description Client that lost the arm to this one; null if the arm was free. */
            taken_from: string | null;
            /**
             * @description Result of the action. `ended`: somebody or something else ended it.
             * @enum {string}
             */
            outcome: "under_way" | "done" | "failed" | "refused" | "ended";
            /** @description Why the action failed, was refused or was ended; null otherwise. */
            message: string | null;
            /** @description When the action was over, seconds since the epoch; null while it is under way. */
            ended: number | null;
            /** @description Number of repetitions that this entry stands for, such as the messages of a stream. */
            count: number;
        };
        /** ArmOverview */
        ArmOverview: {
            id: number;
            name: string;
            /** @description Folder below robots/. */
            model: string;
            /** @description Build of the model. */
            variant: string;
            /** @description Name of the arm that leads it in the configuration; null: none. */
            leader: string | null;
            title: string;
            bus: string;
            simulated: boolean;
            /** @description Another machine owns its bus. */
            remote: boolean;
            base_link: string;
            tool_link: string;
            /** @description Pose of its base in the world: m and rad. */
            mount: {
                xyz: [
                    number,
                    number,
                    number
                ];
                rpy: [
                    number,
                    number,
                    number
                ];
            };
            joints: components["schemas"]["JointFacts"][];
            /** @description Index of its joint and its angles when closed and open. */
            gripper: {
                index: number;
                closed: number;
                open: number;
            } | null;
            /** @description Named poses, rad. */
            poses: {
                [key: string]: number[];
            };
            /** @description What the alarm bits of its servos mean, by the bit. */
            alarms: {
                [key: string]: string;
            };
            now: components["schemas"]["ArmState"];
        };
        /** ArmList */
        ArmList: {
            arms: components["schemas"]["ArmOverview"][];
        };
        /** MotionState */
        MotionState: {
            /** @enum {string} */
            state: "disconnected" | "connected" | "ready" | "moving" | "mirroring" | "floating" | "stopped";
            /** @description Client that has the arm; null if the arm is free. */
            owner: string | null;
            /** @description Time since which that client has the arm, seconds since the epoch; null if the arm is free. */
            owner_since: number | null;
            /** @description What drives the arm; null: nothing. */
            motion: components["schemas"]["Activity"] | null;
        };
        /** ReachableAnswer */
        ReachableAnswer: {
            /** @description The move would be accepted and could meet its tolerances. */
            reachable: boolean;
            /** @description Why not. */
            message: string | null;
            /** @description Where the joints would go, rad; null where they cannot. */
            joints: number[] | null;
        };
        /** AskAnswer */
        AskAnswer: {
            /** @description Null: nobody else has the arm. */
            ask: components["schemas"]["ArmAsk"] | null;
            /** @description State of the request as a sentence. */
            message: string;
        };
        /** AskReply */
        AskReply: {
            /** @description The arm is given away; false: not now. */
            give: boolean;
        };
        /** LogAnswer */
        LogAnswer: {
            /** @description Number of the next line to be written: pass it as `start` to get only newer lines. */
            next: number;
            /** @description Number of the first line in this answer: pass it as `before` to get older lines. `next` if there is none. */
            first: number;
            lines: components["schemas"]["LogLine"][];
        };
        /**
         * ConfigAnswer
         * @description The configuration in use, with its defaults; names of secret files are left out.
         */
        ConfigAnswer: {
            [key: string]: unknown;
        };
        /** CalibrateResponse */
        CalibrateResponse: {
            /** @enum {string} */
            calibration_status: "error" | "success" | "in_progress";
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            /** @description What has been done, and what to do before the next call. */
            message: string;
            /** @description 1 to total_nb_steps; 0 before the first. */
            current_step: number;
            total_nb_steps: number;
        };
        /** SweptJoint */
        SweptJoint: {
            name: string;
            /** @description From the middle pose, rad; null before the first sample. */
            position: number | null;
            /** @description Least position so far, rad. */
            least: number | null;
            /** @description Largest position so far, rad. */
            most: number | null;
            /** @description Range that the data of the arm give, rad. */
            range: number;
            /** @description It has been led to both of its ends, or need not be. */
            done: boolean;
        };
        /** CalibrationState */
        CalibrationState: {
            /** @enum {string} */
            calibration_status: "error" | "success" | "in_progress";
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            /** @description What has been done, and what to do before the next call. */
            message: string;
            /** @description 1 to total_nb_steps; 0 before the first. */
            current_step: number;
            total_nb_steps: number;
            joints: components["schemas"]["SweptJoint"][];
        };
        /**
         * Chunk
         * @description A piece of motion, as a policy makes it.
         */
        Chunk: {
            /** @description Joints by name, one per column of positions; left out: all of the arm in their order. */
            joints?: string[];
            /** @description One row per point, one number per joint, rad. */
            positions: number[][];
            /** @description When each point is due, s after `observed`; increasing. */
            times: number[];
            /**
             * @description When the observation was made, seconds since the epoch by the bridge’s clock: `sampled` of the arm’s state. Null: times count from the arrival of the chunk.
             * @default null
             */
            observed?: number | null;
            /**
             * @description Most time from `observed` to the arrival, s: an older chunk is skipped as a whole.
             * @default 2
             */
            latency?: number;
            /**
             * @description Least time in which it takes over from what runs, s; longer where half of the arm’s limits need it.
             * @default 0.2
             */
            blend?: number;
            /**
             * @description Without a newer chunk for this long the arm comes to rest and holds, s.
             * @default 5
             */
            dead_man?: number;
        };
        /** ChunkOutcome */
        ChunkOutcome: {
            /** @description Id of the motion that follows the chunks; null when this one is skipped as a whole. */
            motion: string | null;
            /** @description From the observation to the arrival, s. */
            age: number;
            /** @description Points that are followed. */
            kept: number;
            /** @description Points whose time had passed. */
            skipped: number;
            /** @description From now to the first kept point, s. */
            begins: number;
            /** @description From now to the last point, s: the next chunk is to come before. */
            ends: number;
            /** @description Joints that cannot be so fast: they come later. */
            slowed: string[];
            /** @description Why it is skipped as a whole; null when it is not. */
            message: string | null;
        };
        /**
         * ConnectionDetails
         * @description Empty for an arm that the bridge knows by its name; otherwise one of the first three.
         */
        ConnectionDetails: {
            /**
             * @description Device file, or the link to it, as /local/scan-devices shows them.
             * @default null
             */
            device_name?: string | null;
            /**
             * @description Serial number of its USB adapter, as /local/scan-devices shows it.
             * @default null
             */
            serial_number?: string | null;
            /**
             * @description Its bus as in the configuration: serial:..., sim:<model>, or a network bus that is named there.
             * @default null
             */
            bus?: string | null;
            /**
             * @description Build of the model, for one that is to be added; follower when left out.
             * @default null
             */
            variant?: string | null;
        };
        /** RobotConnectionRequest */
        RobotConnectionRequest: {
            /** @description Name of an arm of this bridge, or the model of one that is to be added: a folder of robots/, or so-100, so-101, koch-v1.1 or wx-250s. */
            robot_name: string;
            connection_details: components["schemas"]["ConnectionDetails"];
        };
        /** RobotConnectionResponse */
        RobotConnectionResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            /** @description Id of the arm, by which all other requests name it. */
            robot_id: number;
        };
        /** LocalDevice */
        LocalDevice: {
            /** @description What the device calls itself, or what it is taken for. */
            name: string;
            /** @description Device file. */
            device: string;
            /** @description USB serial number. */
            serial_number: string | null;
            /** @description USB product id. */
            pid: number | null;
            /** @description Link that stays the same over replugging. */
            interface: string | null;
        };
        /** ScanDevicesResponse */
        ScanDevicesResponse: {
            devices: components["schemas"]["LocalDevice"][];
        };
        /** Recording */
        Recording: {
            name: string;
            /** @description Dataset (folder of episodes) of the recording; null if it has none. */
            dataset: string | null;
            /**
             * @description joints: only joint states; episode: everything that its arms did.
             * @enum {string}
             */
            content: "joints" | "episode";
            /** @description Size of its file, bytes. */
            bytes: number;
            /** @description Time of the first message, seconds since the epoch. */
            began: number;
            /** @description Length of the recording, in seconds. */
            duration: number;
            messages: number;
            /** @description Names of the arms with recorded joint states. */
            arms: string[];
            task: string;
            operator: string;
            /** @enum {string} */
            verdict: "" | "good" | "bad";
            /** @description Why an episode was broken off before anybody ended it, such as a full disk; empty if it was not. */
            ended_early: string;
            /** @description Why the recording cannot be read, for example because nothing of it could be saved when the bridge was killed; empty if it can. */
            problem: string;
        };
        /** RecordedTopic */
        RecordedTopic: {
            name: string;
            type: string;
            messages: number;
        };
        /** RecordingFacts */
        RecordingFacts: {
            name: string;
            /** @description Dataset (folder of episodes) of the recording; null if it has none. */
            dataset: string | null;
            /**
             * @description joints: only joint states; episode: everything that its arms did.
             * @enum {string}
             */
            content: "joints" | "episode";
            /** @description Size of its file, bytes. */
            bytes: number;
            /** @description Time of the first message, seconds since the epoch. */
            began: number;
            /** @description Length of the recording, in seconds. */
            duration: number;
            messages: number;
            /** @description Names of the arms with recorded joint states. */
            arms: string[];
            task: string;
            operator: string;
            /** @enum {string} */
            verdict: "" | "good" | "bad";
            /** @description Why an episode was broken off before anybody ended it, such as a full disk; empty if it was not. */
            ended_early: string;
            /** @description Why the recording cannot be read, for example because nothing of it could be saved when the bridge was killed; empty if it can. */
            problem: string;
            /** @description Path of the file on the computer of the bridge. */
            path: string;
            topics: components["schemas"]["RecordedTopic"][];
        };
        /** RecordingList */
        RecordingList: {
            /** @description The newest first; fewer than `limit` if they would not fit into 64 kB. */
            recordings: components["schemas"]["Recording"][];
            /** @description Number of all recordings, including those that this answer leaves out. */
            total: number;
            /** @description Names of the datasets, sorted; at most the first 200. */
            datasets: string[];
            folder: string;
            /** @description Size of all recordings together, bytes. */
            used: number;
            /** @description Bytes that all recordings together may take (recording.quota). */
            quota: number;
            /** @description Free bytes on the disk. */
            free: number;
            /** @description Warning before the room for recordings runs out; empty while there is enough. */
            warning: string;
        };
        /** RecordingChangeRequest */
        RecordingChangeRequest: {
            /** @description New name of the recording. */
            name?: string;
            /** @description Task that the episode shows, as in a training set. */
            task?: string;
            /** @description Person who leads the arms. */
            operator?: string;
            /**
             * @description Whether to use the episode; empty: nobody has judged it yet.
             * @enum {string}
             */
            verdict?: "" | "good" | "bad";
        };
        /** RecordingTrimRequest */
        RecordingTrimRequest: {
            /** @description Seconds after the first message of the recording. */
            begin: number;
            /** @description Seconds after the first message of the recording. */
            end: number;
            /**
             * @description Of the new recording. Null or left out: that of the old one with `-trimmed`.
             * @default null
             */
            name?: string | null;
        };
        /** RecordingSamples */
        RecordingSamples: {
            /** @description Name of the recorded arm. */
            source: string;
            joints: string[];
            /** @description Length of the whole recording, in seconds. */
            duration: number;
            /** @description Seconds after the first message of the recording. */
            times: number[];
            /** @description As measured, in radians: of each joint its values at these times. */
            positions: (number | null)[][];
            /** @description Where they were asked to be, in radians; null where nothing asked. */
            goals: (number | null)[][];
            /** @description What something outside put on them, estimated, in Nm; null where the arm was limp. */
            external: (number | null)[][];
        };
        /** RecordingForeseen */
        RecordingForeseen: {
            /** @description Name of the recorded arm. */
            source: string;
            /** @description Length of the whole recording, in seconds. */
            duration: number;
            /** @description Seconds after the first message of the recording. */
            times: number[];
            /** @description Where the joints of the arm would be, in radians: of each its values at these times. Beyond a limit they stay at it. */
            positions: (number | null)[][];
            /** @description What of it the arm cannot reach, the first of it. */
            unreached: {
                /** @description Seconds after the first message of the recording. */
                begin: number;
                /** @description End of the part, in seconds after the first message of the recording. */
                end: number;
                /** @description Which joint would go beyond its limits, or which links would touch. */
                text: string;
            }[];
            /** @description What `/recording/play` would say instead of beginning; null: it would begin. It looks at the first 30 s, and at the rest while it runs. */
            refusal: string | null;
        };
        /** RecordingResponse */
        RecordingResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            recording: components["schemas"]["RecordingFacts"];
        };
        /** EpisodeStartRequest */
        EpisodeStartRequest: {
            /**
             * @description Letters, digits, _ and -, at most 64. Null or left out: the dataset and the present time.
             * @default null
             */
            name?: string | null;
            /**
             * @description Folder of episodes that it is to belong to; null: none.
             * @default null
             */
            dataset?: string | null;
            /** @description Names of the arms that take part; left out: all that are connected. */
            arms?: string[];
            /** @description Task that the episode shows, as in a training set. */
            task?: string;
            /** @description Person who leads the arms. */
            operator?: string;
        };
        /** EpisodeStopRequest */
        EpisodeStopRequest: {
            /**
             * @description False: delete the episode.
             * @default true
             */
            keep?: boolean;
            /** @description Task that the episode shows, as in a training set. */
            task?: string;
            /** @description Person who leads the arms. */
            operator?: string;
            /**
             * @description Whether to use the episode; empty: nobody has judged it yet.
             * @enum {string}
             */
            verdict?: "" | "good" | "bad";
        };
        /** EpisodeMarkRequest */
        EpisodeMarkRequest: {
            /**
             * @description Text of the mark: what has just happened.
             * @default
             */
            text?: string;
        };
        /** RunningEpisode */
        RunningEpisode: {
            name: string;
            dataset: string | null;
            /** @description Path of the file on the computer of the bridge, once it is complete. */
            path: string;
            arms: string[];
            task: string;
            operator: string;
            /** @description When it began, seconds since the epoch. */
            began: number;
            /** @description Length so far, in seconds. */
            duration: number;
            /** @description Why it has ended early, for instance a full disk; null while it runs. */
            problem: string | null;
            /** @description Topics of cameras that are to be recorded (`recording.images`) and of which nothing comes. */
            silent_cameras: string[];
        };
        /** EpisodeResponse */
        EpisodeResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            /** @description The running episode; null if none is being recorded. */
            episode: components["schemas"]["RunningEpisode"] | null;
        };
        /** EpisodeStopResponse */
        EpisodeStopResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            name?: string;
            /** @description Path of the file on the computer of the bridge; empty if the recording is not kept. */
            path?: string;
            /** @description Joint states of all its arms. */
            samples?: number;
            /** @description Cycles of the control loop that could not be recorded. */
            lost?: number;
            /** @description Length of the episode, in seconds. */
            duration?: number;
        };
        /** EventList */
        EventList: {
            /** @description Newest first, by `id`. */
            events: components["schemas"]["JournalEvent"][];
        };
        /** StopResponse */
        StopResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            /** @description Ids of the arms for which it is done. */
            robots: number[];
        };
        /** BridgeOverview */
        BridgeOverview: {
            /** @description Of this run of the bridge: two addresses with the same id are one bridge. */
            id: string;
            /** @description As `fleet.name` says, or that of the computer. */
            name: string;
            version: string;
            /** @description Port that hears stops alone; null: none. */
            stop_port: number | null;
            /** @description Why the control loop is late; empty when it keeps up. */
            trouble: string;
            /** @description By which pairs go from bridge to bridge. */
            ros: {
                /** @description Why ROS 2 is off; empty when it is on. */
                reason: string;
                /** @description Null while it is off. */
                graph: {
                    /** @description ROS_DOMAIN_ID */
                    domain: number;
                    /** @description Below which its arms are. */
                    namespace: string;
                    /** @description Other nodes may drive its arms. */
                    commands: boolean;
                    /** @description Other machines find it. */
                    network: boolean;
                } | null;
            };
            /** @description Pairs that this bridge carries out, and how those ended that it has carried out last. */
            pairs: {
                leader: string;
                /** @description Of this bridge, or of another one. */
                follower: string;
                /** @description As in `GET /api/v1/pairs`; idle: it has ended. */
                state: string;
                /** @description Why it has ended or holds, or why the follower stays behind. */
                reason: string;
            }[];
            arms: {
                name: string;
                /** @description Folder below robots/. */
                model: string;
                /** @description Build of the model. */
                variant: string;
                /** @description Of its model. */
                title: string;
                simulated: boolean;
                /** @description Another machine owns its bus. */
                remote: boolean;
                /** @description As in `GET /status`. */
                state: string;
                torque: boolean;
                /** @description Who has the arm; null when it is free. */
                owner: string | null;
                /** @description Since when, seconds since the epoch. */
                owner_since: number | null;
                /** @description Why it is disconnected or stopped; empty otherwise. */
                reason: string;
                /** @description Why its angles may be wrong; empty otherwise. */
                doubt: string;
            }[];
        };
        /** OtherBridge */
        OtherBridge: {
            /** @description Where it is asked; its page is there too. */
            url: string;
            /** @description `fleet.bridges` names it; others have been found on the network. */
            configured: boolean;
            /**
             * @description unknown: it has not been heard yet; refuses: it wants another token, or is no bridge; untrusted: its certificate does not prove who it is, and it is told nothing.
             * @enum {string}
             */
            state: "unknown" | "answers" | "refuses" | "untrusted" | "silent";
            /** @description Why it refuses, is not trusted or is silent, and what to do; empty otherwise. */
            reason: string;
            /** @description When it was heard last, seconds since the epoch; null: never. */
            seen: number | null;
            /** @description What it said last; null: nothing yet. */
            bridge: components["schemas"]["BridgeOverview"] | null;
        };
        /** BridgesAnswer */
        BridgesAnswer: {
            here: components["schemas"]["BridgeOverview"];
            /** @description The other bridges from number `offset` on, as many as fit into 64 kB. */
            others: components["schemas"]["OtherBridge"][];
            /** @description Number of other bridges, including those that this answer leaves out. */
            total: number;
        };
        /** BridgesStopAnswer */
        BridgesStopAnswer: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            /** @description This bridge first, which has no `url` here. */
            bridges: {
                name: string;
                url: string | null;
                stopped: boolean;
                message: string;
            }[];
        };
        /** MonitoringTarget */
        MonitoringTarget: {
            targets: string[];
            labels: {
                [key: string]: string;
            };
        };
        /** MonitoringTargets */
        MonitoringTargets: components["schemas"]["MonitoringTarget"][];
        /** JointsReadRequest */
        JointsReadRequest: {
            /**
             * @description Of the angles; motor_units are servo steps.
             * @default rad
             * @enum {string}
             */
            unit?: "rad" | "motor_units" | "degrees";
            /**
             * @description Joints by their place in the arm, from 0. Null, left out or empty: all in their order.
             * @default null
             */
            joints_ids?: number[] | null;
            /**
             * @description robot: as the encoders measure; sim: where the joints are asked to be.
             * @default robot
             * @enum {string}
             */
            source?: "sim" | "robot";
        };
        /** JointsReadResponse */
        JointsReadResponse: {
            /** @description Null for a joint that has not been measured yet. */
            angles: (number | null)[];
            /** @enum {string} */
            unit: "rad" | "motor_units" | "degrees";
        };
        /** JointsWriteRequest */
        JointsWriteRequest: {
            /** @description One for each of joints_ids, or for the first joints of the arm; the others keep their goals. */
            angles: number[];
            /**
             * @description Of the angles; motor_units are servo steps.
             * @default rad
             * @enum {string}
             */
            unit?: "rad" | "motor_units" | "degrees";
            /**
             * @description Joints by their place in the arm, from 0. Null, left out or empty: all in their order.
             * @default null
             */
            joints_ids?: number[] | null;
        };
        /** TorqueReadResponse */
        TorqueReadResponse: {
            /** @description Of each joint, Nm, estimated from its servo’s load. */
            current_torque: number[];
        };
        /** TorqueControlRequest */
        TorqueControlRequest: {
            /** @description true: hold where it is. false: lower to the rest pose, then go limp. */
            torque_status: boolean;
            /**
             * @description With torque_status false: go limp at once, wherever the arm is. It drops.
             * @default false
             */
            force?: boolean;
        };
        /**
         * LiveHello
         * @description First, and again when an arm is added or others call this client by another name.
         */
        LiveHello: {
            /** @constant */
            type: "hello";
            /** @description Version of the bridge. */
            version: string;
            /** @description What this client may do. */
            scopes: ("read" | "control")[];
            /** @description Name by which others see this client. */
            client: string;
            arms: components["schemas"]["ArmFacts"][];
        };
        /** LiveArms */
        LiveArms: {
            /** @constant */
            type: "arms";
            /** @description Time of the frame, seconds since the epoch. */
            t: number;
            arms: components["schemas"]["ArmState"][];
        };
        /** LiveObjects */
        LiveObjects: {
            /** @constant */
            type: "objects";
            /** @description Time of the frame, seconds since the epoch. */
            t: number;
            /** @description What stands before simulated arms; GET /sim/objects says what it is. */
            objects: components["schemas"]["ObjectPose"][];
        };
        /** LivePairs */
        LivePairs: {
            /** @constant */
            type: "pairs";
            /** @description Time of the frame, seconds since the epoch. */
            t: number;
            /** @description Whether mirroring runs. */
            active: boolean;
            /** @description Why mirroring last stopped. */
            reason: string;
            pairs: components["schemas"]["PairState"][];
        };
        /** LiveLoop */
        LiveLoop: {
            /** @constant */
            type: "loop";
            /** @description Time of the frame, seconds since the epoch. */
            t: number;
            cycles: number;
            /** @description Configured rate, Hz. */
            rate: number;
            /** @description Cycles that began later than half a period. */
            late: number;
            /** @description What keeps this computer from keeping up; empty when it does. */
            trouble: string;
            /** @description Mean of the last second, s. */
            period: number;
            /** @description Of the last second, s. */
            longest_period: number;
            /** @description Real-time priority of the control thread; null without one. */
            priority: number | null;
            /** @description From the beginning of a cycle to that of the next. */
            periods: components["schemas"]["CycleTiming"];
            /** @description Time by which a cycle began too late. */
            lateness: components["schemas"]["CycleTiming"];
            /** @description From the beginning of a read until goals made of it had been written. */
            latency: components["schemas"]["CycleTiming"];
            /** @description Cycles of the last 10 s by their period. */
            period_histogram: {
                /** @description Width of a bin, in seconds; the first bin begins at 0. */
                width: number;
                /** @description Cycles of each bin; the last has all longer periods too. */
                counts: number[];
            };
            ros: components["schemas"]["RosState"];
        };
        /** LiveLog */
        LiveLog: {
            /** @constant */
            type: "log";
            /** @description Time of the frame, seconds since the epoch. */
            t: number;
            /** @description Since the last frame; the first has the newest hundred. */
            lines: components["schemas"]["LogLine"][];
        };
        /** LiveEvents */
        LiveEvents: {
            /** @constant */
            type: "events";
            /** @description Time of the frame, seconds since the epoch. */
            t: number;
            /** @description New or changed since the last frame, the newest first; the first frame has the newest hundred. */
            events: components["schemas"]["JournalEvent"][];
        };
        /** LiveAsks */
        LiveAsks: {
            /** @constant */
            type: "asks";
            /** @description Time of the frame, seconds since the epoch. */
            t: number;
            /** @description All that are open, and what became of others in the last minute. */
            asks: components["schemas"]["ArmAsk"][];
        };
        /** LiveFrame */
        LiveFrame: components["schemas"]["LiveHello"] | components["schemas"]["LiveArms"] | components["schemas"]["LiveObjects"] | components["schemas"]["LivePairs"] | components["schemas"]["LiveLoop"] | components["schemas"]["LiveLog"] | components["schemas"]["LiveEvents"] | components["schemas"]["LiveAsks"];
        /** LiveServerSentEvent */
        LiveServerSentEvent: {
            /**
             * @description Type of the frame.
             * @enum {string}
             */
            event: "hello" | "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks";
            /** @description The frame as JSON. */
            data: string;
        };
        /**
         * LiveEvent
         * @description The frame that an event carries, as clients are given it, or the event itself.
         */
        LiveEvent: components["schemas"]["LiveFrame"] | components["schemas"]["LiveServerSentEvent"];
        /** LiveRefusal */
        LiveRefusal: {
            /** @constant */
            type: "refused";
            /** @description Type of the message that is not carried out, or unknown. */
            request: string;
            reason: string;
            /** @description That was to be driven. */
            arm?: number;
        };
        /**
         * LiveStopped
         * @description What has become of a stop.
         */
        LiveStopped: {
            /** @constant */
            type: "stop";
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
        };
        /**
         * LiveChunkOutcome
         * @description What has become of a chunk.
         */
        LiveChunkOutcome: {
            /** @constant */
            type: "chunk";
            /** @description Id of the arm. */
            arm: number;
            /** @description Id of the motion that follows the chunks; null when this one is skipped as a whole. */
            motion: string | null;
            /** @description From the observation to the arrival, s. */
            age: number;
            /** @description Points that are followed. */
            kept: number;
            /** @description Points whose time had passed. */
            skipped: number;
            /** @description From now to the first kept point, s. */
            begins: number;
            /** @description From now to the last point, s: the next chunk is to come before. */
            ends: number;
            /** @description Joints that cannot be so fast: they come later. */
            slowed: string[];
            /** @description Why it is skipped as a whole; null when it is not. */
            message: string | null;
        };
        /** LiveSubscribe */
        LiveSubscribe: {
            /** @constant */
            type: "subscribe";
            /** @description Left out: all. */
            topics?: [
            ] | [
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks"
            ] | [
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks"
            ] | [
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks"
            ] | [
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks"
            ] | [
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks"
            ] | [
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks"
            ] | [
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks"
            ];
            /** @description Frames of arms, and of objects that move, per second, 20 when left out; the others come at most 5 times a second. */
            rate?: number;
        };
        /** LiveTwist */
        LiveTwist: {
            /** @description x y z, m/s */
            linear: [
                number,
                number,
                number
            ];
            /** @description About x y z, rad/s */
            angular: [
                number,
                number,
                number
            ];
            /**
             * @description Whose axes these are.
             * @default base
             * @enum {string}
             */
            frame?: "base" | "tool";
        };
        /**
         * LiveJog
         * @description The arm moves at these speeds for 0.2 s: send it again at least 10 times a second.
         */
        LiveJog: {
            /** @constant */
            type: "jog";
            /** @description Id of the arm. */
            arm: number;
            /** @description Speeds by joint name, rad/s; those that are left out do not move. */
            joints?: {
                [key: string]: number;
            };
            /** @description Speed of the tool, in place of joints. */
            twist?: components["schemas"]["LiveTwist"];
            /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
            uncalibrated?: boolean;
        };
        /**
         * LiveChunk
         * @description As POST /api/v1/arms/{name}/chunks. When the connection closes the arm comes to rest and holds.
         */
        LiveChunk: {
            /** @constant */
            type: "chunk";
            /** @description Id of the arm. */
            arm: number;
            /** @description Joints by name, one per column of positions; left out: all of the arm in their order. */
            joints?: string[];
            /** @description One row per point, one number per joint, rad. */
            positions: number[][];
            /** @description When each point is due, s after `observed`; increasing. */
            times: number[];
            /**
             * @description When the observation was made, seconds since the epoch by the bridge’s clock: `sampled` of the arm’s state. Null: times count from the arrival of the chunk.
             * @default null
             */
            observed?: number | null;
            /**
             * @description Most time from `observed` to the arrival, s: an older chunk is skipped as a whole.
             * @default 2
             */
            latency?: number;
            /**
             * @description Least time in which it takes over from what runs, s; longer where half of the arm’s limits need it.
             * @default 0.2
             */
            blend?: number;
            /**
             * @description Without a newer chunk for this long the arm comes to rest and holds, s.
             * @default 5
             */
            dead_man?: number;
            /** @description Take the arm from whoever drives it. */
            take_over?: boolean;
            /** @description Move it although it has no calibration: at no more than 0.3 rad/s. */
            uncalibrated?: boolean;
        };
        /**
         * LiveJoints
         * @description The arm follows the newest goals, and holds when none have come for 0.2 s: send them at least 10 times a second.
         */
        LiveJoints: {
            /** @constant */
            type: "joints";
            /** @description Id of the arm. */
            arm: number;
            /** @description Goals by joint name, rad; those that are left out keep theirs. One beyond a limit goes as far as the limit. */
            positions: {
                [key: string]: number;
            };
            /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
            uncalibrated?: boolean;
        };
        /**
         * LiveStop
         * @description All arms stop, latched, as by POST /stop.
         */
        LiveStop: {
            /** @constant */
            type: "stop";
        };
        /** SessionRequest */
        SessionRequest: {
            /** @description As in http.token_file. */
            token?: string;
        };
        /** SessionAnswer */
        SessionAnswer: {
            /** @description What the page may do from now on. */
            scopes: ("read" | "control")[];
        };
        /** Invitation */
        Invitation: {
            /** @description Where other computers open the page; null: they do not reach the bridge. */
            origin: string | null;
            /** @description That of http.read_token_file, which may look and stop alone; null: there is none. */
            token: string | null;
        };
        /** RobotPairRequest */
        RobotPairRequest: {
            /** @description Id of the leader arm, as in the configuration. */
            leader_id: number | null;
            /** @description Id of the follower arm, as in the configuration. */
            follower_id: number | null;
        };
        /**
         * GravityCompensationValues
         * @description Share of the weight that is held, in percent.
         */
        GravityCompensationValues: {
            /** @default 100 */
            shoulder?: number;
            /** @default 50 */
            elbow?: number;
            /** @default 10 */
            wrist?: number;
        };
        /**
         * ForceFeedback
         * @description How much of the torques that push a follower its leader feels, 0 to 1. The leader must float.
         */
        ForceFeedback: {
            /**
             * @description Of its own joints.
             * @default 0
             */
            arm?: number;
            /**
             * @description Of its gripper.
             * @default 0
             */
            gripper?: number;
        };
        /**
         * ForceFeedbackChange
         * @description As `force_feedback` of the start. A part that is left out stays as it is; at least one is needed.
         */
        ForceFeedbackChange: {
            /** @description Of its own joints. */
            arm?: number;
            /** @description Of its gripper. */
            gripper?: number;
        };
        /** StartLeaderArmControlRequest */
        StartLeaderArmControlRequest: {
            /** @description Leaders and their followers. */
            robot_pairs: components["schemas"]["RobotPairRequest"][];
            /**
             * @description Hold the weight of the leader arms; false: they are limp.
             * @default false
             */
            enable_gravity_compensation?: boolean;
            /**
             * @description Share of the weight that is held, in percent. Null or left out: the default of each.
             * @default null
             */
            gravity_compensation_values?: components["schemas"]["GravityCompensationValues"] | null;
            /**
             * @description Mirror left and right for the follower arms.
             * @default false
             */
            invert_controls?: boolean;
            /**
             * @description A follower away from its leader: it approaches slowly, or nothing is started. Default: as configured, else ramp.
             * @enum {string}
             */
            on_mismatch?: "ramp" | "refuse";
            /** @description Difference of a joint from which refuse refuses, in degrees. Default: as configured, else 11.5. */
            mismatch_threshold?: number;
            /**
             * @description Who goes to whom first; a leader goes by itself, by a checked way. Default: as configured, else follower.
             * @enum {string}
             */
            align?: "follower" | "leader";
            force_feedback?: components["schemas"]["ForceFeedback"];
        };
        /** GravityStartRequest */
        GravityStartRequest: {
            /**
             * @description Share of the weight that is held, in percent. Null or left out: the default of each.
             * @default null
             */
            gravity_compensation_values?: components["schemas"]["GravityCompensationValues"] | null;
        };
        /**
         * MotionTarget
         * @description In the absolute frame, zero at the pose init; for relative the change from the present goal.
         */
        MotionTarget: {
            /** @description Forward, m. */
            x?: number;
            /** @description To the left, m. */
            y?: number;
            /** @description Upwards, m. */
            z?: number;
            /** @description rad; positive lifts the nose. */
            pitch?: number;
            /** @description rad; positive turns left. */
            yaw?: number;
            /** @description rad; positive is clockwise seen from behind. */
            roll?: number;
            /** @description Gripper: 0 closed to 1 open. */
            open?: number;
            /**
             * @description joint: the quickest way. line: the tool goes straight.
             * @default joint
             * @enum {string}
             */
            path?: "joint" | "line";
            /**
             * @description Most trials to come within tolerance.
             * @default 10
             */
            max_trials?: number;
            /**
             * @description m
             * @default 0.005
             */
            position_tolerance?: number;
            /**
             * @description rad
             * @default 0.0524
             */
            orientation_tolerance?: number;
        };
        /** MotionReplay */
        MotionReplay: {
            /** @description Name of the recording. */
            name: string;
            /**
             * @description 1: as recorded.
             * @default 1
             */
            speed?: number;
            /**
             * @description The recorded arm that is followed.
             * @default null
             */
            source?: string | null;
        };
        /**
         * MotionRequest
         * @description Exactly one of these fields.
         */
        MotionRequest: {
            /** @description Pose of the tool to move to, as in /move/absolute. */
            pose?: components["schemas"]["MotionTarget"];
            /** @description Relative motion, as in /move/relative. */
            relative?: components["schemas"]["MotionTarget"];
            /** @description Joint angles by name, rad; others keep theirs. */
            joints?: {
                [key: string]: number;
            };
            /** @description Named pose to move to: init, rest, ... */
            named?: string;
            /** @description Opening of the gripper alone: 0 closed to 1 open. */
            gripper?: number;
            /** @description Recording to replay, as in /recording/play. */
            replay?: components["schemas"]["MotionReplay"];
        };
        /** MotionFacts */
        MotionFacts: {
            id: string;
            arm: string;
            /** @description What was asked: pose, relative, joints, named, gripper, replay or chunks; of older routes their path. */
            kind: string;
            /** @enum {string} */
            state: "moving" | "done" | "failed" | "cancelled";
            /** @description Completed part of the present leg, 0 to 1; null if unknown. */
            progress: number | null;
            /** @description Client that requested it. */
            who: string;
            /** @description Id of the HTTP request; null if it was no HTTP request. */
            request_id: string | null;
            /** @description When the motion began, seconds since the epoch. */
            began: number;
            /** @description When the motion ended, seconds since the epoch; null while it is under way. */
            ended: number | null;
            /** @description Why the motion was not completed; null otherwise. */
            message: string | null;
        };
        /** MotionList */
        MotionList: {
            /** @description The newest first. */
            motions: components["schemas"]["MotionFacts"][];
        };
        /**
         * MoveResponse
         * @description How a motion has ended. The errors are those by the encoders; they are left out where nothing moved.
         */
        MoveResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            /** @description Distance between asked and measured position, in centimetres; null where nothing was asked of it. */
            position_error?: number | null;
            /** @description Smallest rotation to the asked angles, in degrees; null where nothing was asked of it. */
            orientation_error?: number | null;
            /** @description Trials made. */
            trials?: number;
            /** @description From acceptance to the end of the motion, in seconds. */
            duration?: number;
        };
        /** ArmMoveResponse */
        ArmMoveResponse: {
            robot_id: number;
            /** @description Of the arm. */
            name: string;
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            /** @description Distance between asked and measured position, in centimetres; null where nothing was asked of it. */
            position_error?: number | null;
            /** @description Smallest rotation to the asked angles, in degrees; null where nothing was asked of it. */
            orientation_error?: number | null;
            /** @description Trials made. */
            trials?: number;
            /** @description From acceptance to the end of the motion, in seconds. */
            duration?: number;
        };
        /**
         * MoveAllResponse
         * @description How motions of several arms have ended: the worst figures, and every complaint.
         */
        MoveAllResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            /** @description Distance between asked and measured position, in centimetres; null where nothing was asked of it. */
            position_error?: number | null;
            /** @description Smallest rotation to the asked angles, in degrees; null where nothing was asked of it. */
            orientation_error?: number | null;
            /** @description Trials made. */
            trials?: number;
            /** @description From acceptance to the end of the motion, in seconds. */
            duration?: number;
            /** @description Each arm by itself, where several moved. */
            robots?: components["schemas"]["ArmMoveResponse"][];
        };
        /** EndEffectorReadRequest */
        EndEffectorReadRequest: {
            /**
             * @description The gripper alone: the six others are null. Works before /move/init.
             * @default false
             */
            only_gripper?: boolean;
            /**
             * @description Answer from a read of the motors that began after the request, at most 200 ms.
             * @default false
             */
            sync?: boolean;
        };
        /** EndEffectorPosition */
        EndEffectorPosition: {
            /** @description Centimetres; null with only_gripper. */
            x: number | null;
            /** @description Centimetres; null with only_gripper. */
            y: number | null;
            /** @description Centimetres; null with only_gripper. */
            z: number | null;
            /** @description Absolute pitch in degrees; null with only_gripper. */
            rx: number | null;
            /** @description Absolute yaw in degrees; null with only_gripper. */
            ry: number | null;
            /** @description Absolute roll in degrees; null with only_gripper. */
            rz: number | null;
            /** @description Measured opening, 0 closed to 1 open; null for an arm without a gripper. */
            open: number | null;
        };
        /** GuestArm */
        GuestArm: {
            /** @description Folder below robots/. */
            model: string;
            /** @description Build of the model. */
            variant: string;
        };
        /** PairStartRequest */
        PairStartRequest: {
            /** @description Name of the arm. */
            leader: string;
            /** @description Name of the arm. */
            follower: string;
            /**
             * @description What the follower is, where another machine owns its bus and this configuration need not know it: it is found on the ROS 2 graph, and is here as long as the pair runs. Null: an arm of this bridge.
             * @default null
             */
            guest?: components["schemas"]["GuestArm"] | null;
            /**
             * @description The leader holds its own weight and yields to the hand; else it goes limp.
             * @default false
             */
            enable_gravity_compensation?: boolean;
            force_feedback?: components["schemas"]["ForceFeedback"];
        };
        /** PairEndRequest */
        PairEndRequest: {
            /** @description Name of the arm. */
            follower: string;
        };
        /** BridgeArm */
        BridgeArm: {
            /**
             * @description `url` of the bridge, as GET /api/v1/bridges tells it; null: this one.
             * @default null
             */
            bridge?: string | null;
            /** @description Name of the arm. */
            arm: string;
        };
        /** BridgesPairStartRequest */
        BridgesPairStartRequest: {
            leader: components["schemas"]["BridgeArm"];
            follower: components["schemas"]["BridgeArm"];
            /**
             * @description The leader holds its own weight and yields to the hand; else it goes limp.
             * @default false
             */
            enable_gravity_compensation?: boolean;
            force_feedback?: components["schemas"]["ForceFeedback"];
        };
        /** BridgesPairEndRequest */
        BridgesPairEndRequest: {
            /**
             * @description `url` of the bridge that has the leader; null: this one.
             * @default null
             */
            bridge?: string | null;
            /** @description Name of the arm. */
            follower: string;
        };
        /** RecordingStartRequest */
        RecordingStartRequest: {
            /** @default null */
            name?: string | null;
            /**
             * @description Samples per second.
             * @default 50
             */
            rate?: number;
        };
        /** RecordingStartResponse */
        RecordingStartResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            /** @description Name of the recording. */
            name: string;
            /** @description Path of the file on the computer of the bridge. */
            path: string;
        };
        /** RecordingStopRequest */
        RecordingStopRequest: {
            /**
             * @description False: delete the episode.
             * @default true
             */
            save?: boolean;
        };
        /** RecordingStopResponse */
        RecordingStopResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            /** @description Name of the recording; left out if none was running. */
            name?: string;
            /** @description Path of the file on the computer of the bridge; empty if the recording is not kept. */
            path?: string;
            samples?: number;
            /** @description In seconds. */
            duration?: number;
        };
        /** RecordingPlayRequest */
        RecordingPlayRequest: {
            /** @description Name of the recording. */
            name: string;
            /**
             * @description 1 as recorded. Where the limits of the arm ask for it, it is slower.
             * @default 1
             */
            speed?: number;
            /**
             * @description The recorded arm that is followed. Null or left out: the one of the same name, or the first.
             * @default null
             */
            source?: string | null;
        };
        /** RecordingPlayResponse */
        RecordingPlayResponse: {
            /**
             * @description Whether it was done.
             * @default ok
             * @enum {string}
             */
            status?: "ok" | "error";
            /** @description What went wrong, or what was done. */
            message?: string | null;
            /** @description Id of the request, as in its header X-Request-Id and in the log. */
            request_id?: string;
            /** @description With the way to its first pose, in seconds. */
            duration: number;
        };
        /** VoltageReadResponse */
        VoltageReadResponse: {
            /** @description Of each servo, V; null where it is not known. */
            current_voltage: number[] | null;
        };
        /** ServoTemperature */
        ServoTemperature: {
            /** @description Degrees Celsius. */
            current: number;
            /** @description Where the servo switches itself off. */
            max: number;
        };
        /** TemperatureReadResponse */
        TemperatureReadResponse: {
            /** @description Of each servo; null where they are not known. */
            current_max_Temperature: components["schemas"]["ServoTemperature"][] | null;
        };
        /** TemperatureWriteRequest */
        TemperatureWriteRequest: {
            /** @description Where each servo is to switch itself off, degrees Celsius; never above its maker’s maximum. */
            maximum_temperature: number[];
        };
        /** ServoGains */
        ServoGains: {
            /** @description In counts of the servo’s register. */
            p_gain: number;
            /** @description In counts of the servo’s register. */
            i_gain: number;
            /** @description In counts of the servo’s register. */
            d_gain: number;
        };
        /** ServoConfig */
        ServoConfig: {
            /** @description Model of the arm. */
            name: string;
            /** @description Mean of the voltages that the servos measure, V. */
            servos_voltage: number;
            /** @description Servo steps at joint angle 0. */
            servos_offsets: number[];
            /** @description Servo steps a quarter of a turn from that; of the gripper: where it is open. */
            servos_calibration_position: number[];
            /** @description 1 or -1: sense in which steps count. */
            servos_offsets_signs: number[];
            /** @description Read from the servos. */
            pid_gains: components["schemas"]["ServoGains"][];
            /** @description Load at which the gripper counts as pressing, per mille of its output. */
            gripping_threshold: number;
            /** @description Load with which it then goes on holding. */
            non_gripping_threshold: number;
        };
        /** RobotConfigResponse */
        RobotConfigResponse: {
            robot_id: number;
            name: string;
            /** @description Null where the servos belong to another machine. */
            config: components["schemas"]["ServoConfig"] | null;
            gripper_joint_index: number | null;
            servo_ids: number[];
            /** @description Servo steps per turn. */
            resolution: number;
        };
        /** SetupServo */
        SetupServo: {
            joint: string;
            /** @description That it is to get. */
            id: number;
            model: string;
            /** @description What tells it from others of its model, such as its gear. */
            part: string | null;
            /** @description Supply that it is made for, V; several: only the print on it tells which. */
            supplies: number[];
            /** @description It is the one that is to be connected alone. */
            due: boolean;
            /** @description It has its id, or was left out. */
            done: boolean;
        };
        /** SetupSession */
        SetupSession: {
            name: string;
            model: string;
            variant: string;
            role: ("leader" | "follower") | null;
            bus: string;
            /** @description It is the simulated kit. */
            practice: boolean;
            /**
             * @description look, missing and whole: the servos are to be looked at; single: one is to be connected alone; registers: some are not as wanted; enter: the arm is to be written into the configuration; done: it has been.
             * @enum {string}
             */
            step: "look" | "missing" | "single" | "whole" | "registers" | "enter" | "done";
            servos: components["schemas"]["SetupServo"][];
            /** @description What to connect, and to which supply; empty at steps that need nothing connected. */
            instruction: string;
            /** @description What the last action has come to. */
            said: string;
            /** @description What is wrong, and what to do; empty when nothing is. */
            fault: string;
            /** @description The servo has been given another id before: `reassign` gives it its own all the same. */
            given: boolean;
            /** @description Whether an action is under way. */
            busy: boolean;
            /** @description Arms that it may be paired with, by its role, at the step `enter`. */
            counterparts: string[];
            /** @description Who sets it up. */
            by: string;
        };
        /** FreePort */
        FreePort: {
            /** @description As the configuration names it. */
            bus: string;
            about: string;
            /** @description Kind of adapter that arms have; null: an unknown one. */
            adapter: string | null;
            /** @description Models that usually come with this adapter, or with others of its servos. */
            likely: string[];
        };
        /** ArmBuilds */
        ArmBuilds: {
            model: string;
            builds: {
                variant: string;
                title: string;
            }[];
        };
        /** SetupState */
        SetupState: {
            /** @description USB adapters on which no arm of this bridge is. */
            ports: components["schemas"]["FreePort"][];
            models: components["schemas"]["ArmBuilds"][];
            /** @description Why there is no simulated kit; empty when there is one. */
            no_practice: string;
            /** @description Arms that have been set up since the bridge began, and those of `trials`. */
            arms: string[];
            /** @description Configuration file that arms are written to. */
            file: string;
            /** @description Pairs that follow slowly until somebody confirms that they go the right way: those whose `velocity` is 0.4 rad/s, which stands in the configuration until then. */
            trials: {
                leader: string;
                follower: string;
            }[];
            /** @description The arm that is being set up; null if there is none. */
            session: components["schemas"]["SetupSession"] | null;
        };
        /** SetupRequest */
        SetupRequest: {
            /**
             * @description Bus of the arm; null: the simulated kit, to practise with.
             * @default null
             */
            bus?: string | null;
            /** @description Which arm it is. */
            model: string;
            /**
             * @description Which build of it; null: the one of its role.
             * @default null
             */
            variant?: string | null;
            /**
             * @description leader: a hand holds it; null: it neither leads nor follows.
             * @default null
             */
            role?: ("leader" | "follower") | null;
            /** @description What it is to be called. */
            name: string;
        };
        /** SetupStep */
        SetupStep: {
            /**
             * @description What is to be done at the present step.
             * @enum {string}
             */
            action: "look" | "singly" | "give" | "reassign" | "leave_out" | "set_registers" | "leave_registers" | "enter";
            /**
             * @description For `enter`: the other arm of its pair; null: none.
             * @default null
             */
            counterpart?: string | null;
        };
        /** SetupHand */
        SetupHand: {
            /** @description Arm that is practised with. */
            arm: string;
            /**
             * @description plug: connects one servo, or all; middle, ends: leads every joint there.
             * @enum {string}
             */
            action: "plug" | "middle" | "ends" | "let_go";
            /**
             * @description For `plug`: joint of the servo that is to be connected alone, or all.
             * @default all
             */
            what?: string;
        };
        /** SetupVerdict */
        SetupVerdict: {
            /** @description Of a pair of `trials`. */
            follower: string;
            /**
             * @description right: it has its full speed from the next start on; swapped: leader and follower are each other: their ports are exchanged in the configuration file, for the next start of the bridge, which asks again.
             * @enum {string}
             */
            verdict: "right" | "swapped";
        };
        /** HandRequest */
        HandRequest: {
            /**
             * @description Id of a simulated arm.
             * @default 0
             */
            robot_id?: number;
            /** @description Joint angles in radians that the hand leads to, by joint name; null lets go of all. */
            joints?: {
                [key: string]: number;
            } | null;
            /**
             * @description Time the hand takes, in seconds.
             * @default 1
             */
            duration?: number;
            /** @description How stiff the hand is, in Nm/rad, by joint name: a soft one gives way to what the arm pushes with. Joints that are not named: 40. */
            stiffness?: {
                [key: string]: number;
            };
        };
        /** Vector */
        Vector: {
            x: number;
            y: number;
            z: number;
        };
        /** Quaternion */
        Quaternion: {
            x: number;
            y: number;
            z: number;
            w: number;
        };
        /** SimulationTruth */
        SimulationTruth: {
            robot_id: number;
            name: string;
            /** @description Joint angles of the physics, in radians. */
            joints: {
                [key: string]: number;
            };
            /** @description Tool in the base frame, metres and a unit quaternion. */
            tool: {
                position: components["schemas"]["Vector"];
                orientation: components["schemas"]["Quaternion"];
            };
            /** @description Of the physics, seconds since the epoch. */
            time: number;
        };
        /** Place */
        Place: {
            x: number;
            y: number;
            z: number;
        };
        /** ObjectMove */
        ObjectMove: {
            /**
             * @description Id of the simulated arm in front of which the object stands.
             * @default 0
             */
            robot_id?: number;
            /** @description Of the object. */
            name: string;
            /** @description Where the hand leads it, in the base frame of the arm, metres. */
            position: components["schemas"]["Place"];
            /**
             * @description Time after which the hand lets go, in seconds; it moves at 0.5 m/s. 0: at once.
             * @default 1
             */
            duration?: number;
        };
        /** ObjectReset */
        ObjectReset: {
            /**
             * @description Id of a simulated arm; null: of all of them.
             * @default null
             */
            robot_id?: number | null;
        };
        /** SimObject */
        SimObject: {
            name: string;
            /** @description As #rrggbb. */
            colour: string;
            /** @description kg; null: it does not move. */
            mass: number | null;
            /** @description Primitives that move as one. */
            parts: {
                /** @enum {string} */
                kind: "box" | "cylinder" | "sphere";
                /** @description Edges of a box, metres. */
                size?: [
                    number,
                    number,
                    number
                ];
                /** @description Of a cylinder or sphere, metres. */
                radius?: number;
                /** @description Of a cylinder, which stands along z, metres. */
                length?: number;
                /** @description Its centre in the frame of the object, metres. */
                at: [
                    number,
                    number,
                    number
                ];
            }[];
            position: components["schemas"]["Vector"];
            orientation: components["schemas"]["Quaternion"];
            /** @description Links of the arm and other objects that press on it, with the sum of their normal forces in newtons. Empty for what lies still. */
            touches: {
                by: string;
                force: number;
            }[];
        };
        /** SimObjects */
        SimObjects: {
            robot_id: number;
            name: string;
            objects: components["schemas"]["SimObject"][];
        };
        /** ServoStatus */
        ServoStatus: {
            joint: string;
            /** @description Time since its last reply, in seconds; null before the first. */
            reply_age: number | null;
            /** @description Replies that never came. */
            lost: number;
            /** @description Alarm bits of the servo; 0 = healthy. */
            alarms: number;
            /** @description Degrees Celsius; null where it is not known. */
            temperature: number | null;
            /** @description Volts; null where it is not known. */
            voltage: number | null;
        };
        /** ArmStatus */
        ArmStatus: {
            id: number;
            name: string;
            model: string;
            /** @enum {string} */
            state: "disconnected" | "connected" | "ready" | "moving" | "mirroring" | "floating" | "stopped";
            /** @description Client that has the arm; null if the arm is free. */
            owner: string | null;
            /** @description Time since which that client has the arm, seconds since the epoch; null if the arm is free. */
            owner_since: number | null;
            /** @description Whether /move/init has set the zero. */
            initialised: boolean;
            /** @description Part of its largest speeds that it may use. */
            speed_scale: number;
            torque: boolean;
            /** @description A calibration, or the model of a simulated arm, says where its joints are at zero. */
            calibrated: boolean;
            /** @description Joints that are measured beyond their limits. */
            outside_limits: string[];
            /** @description Why its angles may be wrong, so that motions need `uncalibrated=true`; empty otherwise. */
            doubt: string;
            /** @description Why it is disconnected or stopped; empty otherwise. */
            reason: string;
            /** @description Age of the newest bus read, in seconds; null before the first. */
            sample_age: number | null;
            /** @description The bus of the arm. */
            bus: {
                /** @description Bytes that belonged to no valid reply. */
                discarded: number;
                round_trip: {
                    /** @description From request to last reply, median of the last seconds, in seconds; 0 before. */
                    p50: number;
                    /** @description From request to last reply, 99th percentile of the last seconds, in seconds; 0 before. */
                    p99: number;
                };
            };
            /** @description The servos of the arm, by joint. */
            servos: components["schemas"]["ServoStatus"][];
        };
        /** RobotStatus */
        RobotStatus: {
            name: string;
            /** @constant */
            robot_type: "manipulator";
            device_name: string | null;
            /** @description Temperature of each servo, degrees Celsius; null for a simulated arm. */
            temperature: {
                current: number;
                max: number | null;
            }[] | null;
        };
        /** BridgeStatus */
        BridgeStatus: {
            /** @constant */
            status: "ok";
            /** @description Name of this computer. */
            name: string;
            /** @description Models of the arms. */
            robots: string[];
            robot_status: components["schemas"]["RobotStatus"][];
            /** @description Outside the scope of the bridge: none. */
            cameras: {
                cameras_status: unknown[];
                is_stereo_camera_available: boolean;
                realsense_available: boolean;
                video_cameras_ids: number[];
            };
            version_id: string;
            /** @description Whether some arm is being recorded. */
            is_recording: boolean;
            /** @description How little room is left for recordings, and what to do; empty while there is enough. */
            recording_warning: string;
            /** @constant */
            ai_running_status: "stopped";
            /** @description Whether mirroring runs. */
            leader_follower_status: boolean;
            server_ip: string;
            server_port: number;
            /** @description Port that hears POST /stop alone, whatever keeps this one busy; null: none. */
            stop_port: number | null;
            /** @enum {string} */
            dialect: "standard" | "phosphobot";
            arms: components["schemas"]["ArmStatus"][];
            mirror: {
                /** @description Why mirroring last stopped. */
                reason: string;
                pairs: components["schemas"]["PairState"][];
            };
            ros: components["schemas"]["RosState"];
            loop: components["schemas"]["LoopState"];
        };
        /**
         * TeleopRequest
         * @description Where a hand is, in axes of the base, from wherever the sender counts: its movements lead the tool.
         */
        TeleopRequest: {
            /** @description Of the hand, forward, in centimetres. */
            x: number;
            /** @description Of the hand, to the left, in centimetres. */
            y: number;
            /** @description Of the hand, upwards, in centimetres. */
            z: number;
            /** @description Pitch of the hand in degrees: positive lifts the nose. */
            rx: number;
            /** @description Yaw of the hand in degrees: positive turns left. */
            ry: number;
            /** @description Roll of the hand in degrees: positive is clockwise seen from behind. */
            rz: number;
            /** @description Gripper: 0 closed to 1 open. */
            open: number;
            /**
             * @description Which hand. Without robot_id the right one leads the first arm and the left one the second.
             * @default right
             * @enum {string}
             */
            source?: "left" | "right";
            /**
             * @description When the message was sent, in seconds by any clock: one that is late or out of order is dropped.
             * @default null
             */
            timestamp?: number | null;
            /**
             * @description Joystick; no arm has wheels, so it moves nothing.
             * @default 0
             */
            direction_x?: number;
            /**
             * @description Joystick; no arm has wheels, so it moves nothing.
             * @default 0
             */
            direction_y?: number;
        };
        /**
         * TeleopReport
         * @description Told about once a second while messages come.
         */
        TeleopReport: {
            /** @description Messages that were followed since the last report. */
            nb_actions_received: number;
            /** @description Whether the gripper holds an object; null, because the servos report only position and load. */
            is_object_gripped: boolean | null;
            /** @description How it is known; null for the same reason. */
            is_object_gripped_source: string | null;
        };
        /**
         * TeleopSettings
         * @description Of /move/teleop, for all arms, until the bridge ends.
         */
        TeleopSettings: {
            /** @description Centimetres of the tool per centimetre of the hand; 1 at the start. Turns are not scaled. */
            vr_scaling: number;
        };
        /**
         * TeleopSettingsChange
         * @description Of /move/teleop; and what the leaders of running pairs feel, until these end. A setting that is left out stays as it is; at least one is needed.
         */
        TeleopSettingsChange: {
            /** @description Centimetres of the tool per centimetre of the hand; 1 at the start. Turns are not scaled. */
            vr_scaling?: number;
            force_feedback?: components["schemas"]["ForceFeedbackChange"];
            /** @description Id of the follower whose leader feels; left out: all followers. */
            follower_id?: number;
        };
        /**
         * UDPServerInformationResponse
         * @description The fields of /move/teleop, as JSON, one message a datagram, and `secret`.
         */
        UDPServerInformationResponse: {
            /** @description Where the datagrams are to go: an address of the bridge. */
            host: string;
            /** @description The UDP port. */
            port: number;
            /** @description What each datagram of this client carries as its field `secret`, until the port is closed. */
            secret: string;
        };
    };
    responses: {
        /** @description The body is no text or nested too deeply. */
        Unreadable: {
            headers: {
                /** @description By which the log and /api/v1/events know this request. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "There was an error parsing the body: it is not UTF-8.",
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/json": components["schemas"]["HTTPError"];
                /**
                 * @example {
                 *       "type": "urn:arm-bridge:problem:bad_request",
                 *       "title": "Bad Request",
                 *       "status": 400,
                 *       "detail": "There was an error parsing the body: it is not UTF-8.",
                 *       "message": "There was an error parsing the body: it is not UTF-8.",
                 *       "code": "bad_request",
                 *       "remedy": null,
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The token is missing or wrong. */
        Unauthorised: {
            headers: {
                /** @description By which the log and /api/v1/events know this request. */
                "X-Request-Id"?: string;
                /** @description The scheme, Bearer. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "A token is needed: send the header \"Authorization: Bearer <token>\" with the token of http.token_file, or one with a name.",
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/json": components["schemas"]["HTTPError"];
                /**
                 * @example {
                 *       "type": "urn:arm-bridge:problem:unauthorised",
                 *       "title": "Unauthorized",
                 *       "status": 401,
                 *       "detail": "A token is needed: send the header \"Authorization: Bearer <token>\" with the token of http.token_file, or one with a name.",
                 *       "message": "A token is needed: send the header \"Authorization: Bearer <token>\" with the token of http.token_file, or one with a name.",
                 *       "code": "unauthorised",
                 *       "remedy": null,
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description Host or Origin is not answered, or the token may only read. */
        Forbidden: {
            headers: {
                /** @description By which the log and /api/v1/events know this request. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "This token may only read and stop: send the token of http.token_file, or a named one with the scope control.",
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/json": components["schemas"]["HTTPError"];
                /**
                 * @example {
                 *       "type": "urn:arm-bridge:problem:forbidden",
                 *       "title": "Forbidden",
                 *       "status": 403,
                 *       "detail": "This token may only read and stop: send the token of http.token_file, or a named one with the scope control.",
                 *       "message": "This token may only read and stop: send the token of http.token_file, or a named one with the scope control.",
                 *       "code": "forbidden",
                 *       "remedy": null,
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The body is larger than 64 KiB. */
        TooLarge: {
            headers: {
                /** @description By which the log and /api/v1/events know this request. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The request body is larger than 64 KiB.",
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/json": components["schemas"]["HTTPError"];
                /**
                 * @example {
                 *       "type": "urn:arm-bridge:problem:too_large",
                 *       "title": "Payload Too Large",
                 *       "status": 413,
                 *       "detail": "The request body is larger than 64 KiB.",
                 *       "message": "The request body is larger than 64 KiB.",
                 *       "code": "too_large",
                 *       "remedy": null,
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The body is compressed. */
        Compressed: {
            headers: {
                /** @description By which the log and /api/v1/events know this request. */
                "X-Request-Id"?: string;
                /** @description `identity`. */
                "Accept-Encoding"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The body is compressed: send it as it is, without Content-Encoding.",
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/json": components["schemas"]["HTTPError"];
                /**
                 * @example {
                 *       "type": "urn:arm-bridge:problem:compressed",
                 *       "title": "Unsupported Media Type",
                 *       "status": 415,
                 *       "detail": "The body is compressed: send it as it is, without Content-Encoding.",
                 *       "message": "The body is compressed: send it as it is, without Content-Encoding.",
                 *       "code": "compressed",
                 *       "remedy": null,
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The header Expect asks for something else than 100-continue. */
        Unexpected: {
            headers: {
                /** @description By which the log and /api/v1/events know this request. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The bridge knows no such expectation: leave out Expect, or send \"Expect: 100-continue\".",
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/json": components["schemas"]["HTTPError"];
                /**
                 * @example {
                 *       "type": "urn:arm-bridge:problem:unknown_expectation",
                 *       "title": "Expectation Failed",
                 *       "status": 417,
                 *       "detail": "The bridge knows no such expectation: leave out Expect, or send \"Expect: 100-continue\".",
                 *       "message": "The bridge knows no such expectation: leave out Expect, or send \"Expect: 100-continue\".",
                 *       "code": "unknown_expectation",
                 *       "remedy": null,
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The request fails validation; nothing has been done. */
        Invalid: {
            headers: {
                /** @description By which the log and /api/v1/events know this request. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": [
                 *         {
                 *           "type": "greater_than_equal",
                 *           "loc": [
                 *             "query",
                 *             "robot_id"
                 *           ],
                 *           "msg": "Input should be greater than or equal to 0",
                 *           "input": -3,
                 *           "ctx": {
                 *             "ge": 0
                 *           }
                 *         }
                 *       ],
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/json": components["schemas"]["HTTPValidationError"];
                /**
                 * @example {
                 *       "type": "urn:arm-bridge:problem:invalid",
                 *       "title": "Unprocessable Entity",
                 *       "status": 422,
                 *       "detail": "query.robot_id: Input should be greater than or equal to 0",
                 *       "message": "query.robot_id: Input should be greater than or equal to 0",
                 *       "code": "invalid",
                 *       "remedy": null,
                 *       "request_id": "req-1f",
                 *       "errors": [
                 *         {
                 *           "type": "greater_than_equal",
                 *           "loc": [
                 *             "query",
                 *             "robot_id"
                 *           ],
                 *           "msg": "Input should be greater than or equal to 0",
                 *           "input": -3,
                 *           "ctx": {
                 *             "ge": 0
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description Too many requests a second from one other computer. */
        TooMany: {
            headers: {
                /** @description By which the log and /api/v1/events know this request. */
                "X-Request-Id"?: string;
                /** @description Ask again after this time, s. */
                "Retry-After"?: number;
                /** @description Requests a second that one other computer may send. It is told in each answer. */
                "RateLimit-Limit"?: number;
                /** @description How many it may send now. It is told in each answer. */
                "RateLimit-Remaining"?: number;
                /** @description Time until it may send as many as ever, s. It is told in each answer. */
                "RateLimit-Reset"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "More than 1000 requests a second from one client: wait a moment.",
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/json": components["schemas"]["HTTPError"];
                /**
                 * @example {
                 *       "type": "urn:arm-bridge:problem:too_many",
                 *       "title": "Too Many Requests",
                 *       "status": 429,
                 *       "detail": "More than 1000 requests a second from one client: wait a moment.",
                 *       "message": "More than 1000 requests a second from one client: wait a moment.",
                 *       "code": "too_many",
                 *       "remedy": null,
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description A fault of the bridge; its log says more. */
        Fault: {
            headers: {
                /** @description By which the log and /api/v1/events know this request. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "Internal Server Error",
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/json": components["schemas"]["HTTPError"];
                /**
                 * @example {
                 *       "type": "urn:arm-bridge:problem:internal",
                 *       "title": "Internal Server Error",
                 *       "status": 500,
                 *       "detail": "Internal Server Error",
                 *       "message": "Internal Server Error",
                 *       "code": "internal",
                 *       "remedy": null,
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
        /** @description The control loop or a servo does not do its part, or there are too many connections. */
        Unavailable: {
            headers: {
                /** @description By which the log and /api/v1/events know this request. */
                "X-Request-Id"?: string;
                /** @description Ask again after this time, s. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": "The control loop has not run for a second. Restart the bridge.",
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/json": components["schemas"]["HTTPError"];
                /**
                 * @example {
                 *       "type": "urn:arm-bridge:problem:unavailable",
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "detail": "The control loop has not run for a second. Restart the bridge.",
                 *       "message": "The control loop has not run for a second. Restart the bridge.",
                 *       "code": "unavailable",
                 *       "remedy": null,
                 *       "request_id": "req-1f"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDetails"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    move_init: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration; left out: all arms. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The motion has ended. `error`: the message says why and how far it came. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null,
                     *       "position_error": 0.03,
                     *       "orientation_error": 0.2,
                     *       "trials": 1,
                     *       "duration": 1.9,
                     *       "robots": [
                     *         {
                     *           "robot_id": 0,
                     *           "name": "leader",
                     *           "status": "ok",
                     *           "message": null,
                     *           "position_error": 0.03,
                     *           "orientation_error": 0.2,
                     *           "trials": 1,
                     *           "duration": 1.9
                     *         },
                     *         {
                     *           "robot_id": 1,
                     *           "name": "follower",
                     *           "status": "ok",
                     *           "message": null,
                     *           "position_error": 0.03,
                     *           "orientation_error": 0.2,
                     *           "trials": 1,
                     *           "duration": 1.9
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MoveAllResponse"];
                };
            };
            /** @description The arm is unknown or disconnected. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    move_absolute: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "x": 2,
                 *       "y": 3,
                 *       "z": -2,
                 *       "open": 0.5
                 *     }
                 */
                "application/json": components["schemas"]["AbsoluteMoveRequest"];
            };
        };
        responses: {
            /** @description The motion has ended. `error`: the message says why and how far it came. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null,
                     *       "position_error": 0.03,
                     *       "orientation_error": 0.2,
                     *       "trials": 1,
                     *       "duration": 1.9
                     *     }
                     */
                    "application/json": components["schemas"]["MoveResponse"];
                };
            };
            /** @description The arm is unknown, disconnected, or not initialised. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    move_relative: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "z": 2
                 *     }
                 */
                "application/json": components["schemas"]["RelativeMoveRequest"];
            };
        };
        responses: {
            /** @description The motion has ended. `error`: the message says why and how far it came. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null,
                     *       "position_error": 0.03,
                     *       "orientation_error": 0.2,
                     *       "trials": 1,
                     *       "duration": 1.9
                     *     }
                     */
                    "application/json": components["schemas"]["MoveResponse"];
                };
            };
            /** @description The arm is unknown, disconnected, or not initialised. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    move_hello: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The motion has ended. `error`: the message says why and how far it came. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null,
                     *       "position_error": 0.03,
                     *       "orientation_error": 0.2,
                     *       "trials": 1,
                     *       "duration": 1.9
                     *     }
                     */
                    "application/json": components["schemas"]["MoveResponse"];
                };
            };
            /** @description The arm is unknown or disconnected. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    move_sleep: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The motion has ended. `error`: the message says why and how far it came. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null,
                     *       "position_error": 0.03,
                     *       "orientation_error": 0.2,
                     *       "trials": 1,
                     *       "duration": 1.9
                     *     }
                     */
                    "application/json": components["schemas"]["MoveResponse"];
                };
            };
            /** @description The arm is unknown or disconnected. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    end_effector_read: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "only_gripper": false,
                 *       "sync": true
                 *     }
                 */
                "application/json": components["schemas"]["EndEffectorReadRequest"] | null;
            };
        };
        responses: {
            /** @description Centimetres and degrees. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x": 2,
                     *       "y": 3,
                     *       "z": -2,
                     *       "rx": 0.1,
                     *       "ry": 11.3,
                     *       "rz": 0,
                     *       "open": 0.5
                     *     }
                     */
                    "application/json": components["schemas"]["EndEffectorPosition"];
                };
            };
            /** @description The arm is unknown, disconnected, or not initialised. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    move_teleop: {
        parameters: {
            query?: {
                /** @description Id of the arm; left out: that of the hand. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "x": 0,
                 *       "y": 0,
                 *       "z": 0,
                 *       "rx": 0,
                 *       "ry": 0,
                 *       "rz": 0,
                 *       "open": 0.5
                 *     }
                 */
                "application/json": components["schemas"]["TeleopRequest"];
            };
        };
        responses: {
            /** @description The arm follows, or `status: "error"` with a message that says why not, or not all the way. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is unknown or disconnected, or its torque is off. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    teleop_settings: {
        parameters: {
            query?: {
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "vr_scaling": 0.5
                 *     }
                 */
                "application/json": components["schemas"]["TeleopSettingsChange"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The follower is unknown or disconnected. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else has started the pairs whose leaders feel, and would feel more (take_over sets theirs). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    teleop_settings_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As they were set last. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "vr_scaling": 0.5
                     *     }
                     */
                    "application/json": components["schemas"]["TeleopSettings"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    move_teleop_udp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The port is open; it may have been before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "host": "127.0.0.1",
                     *       "port": 50412,
                     *       "secret": "b2xkIHNlY3JldHMgYXJlIGJlc3Q"
                     *     }
                     */
                    "application/json": components["schemas"]["UDPServerInformationResponse"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    move_teleop_udp_stop: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    move_leader_start: {
        parameters: {
            query?: {
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "robot_pairs": [
                 *         {
                 *           "leader_id": 0,
                 *           "follower_id": 1
                 *         }
                 *       ],
                 *       "enable_gravity_compensation": true
                 *     }
                 */
                "application/json": components["schemas"]["StartLeaderArmControlRequest"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "Leader-follower control started"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description A pair cannot be set up, or mirrors already. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives one of the arms. */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    move_leader_stop: {
        parameters: {
            query?: {
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description What becomes of an arm that floated: lower = it is lowered to its rest pose and released, now = it is released and falls unless a hand has it, hold = it goes on holding. */
                release?: "lower" | "now" | "hold";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "Stopping leader-follower control"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description `release=now` is asked for by somebody who has not started it, without take_over. */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    gravity_start: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "gravity_compensation_values": {
                 *         "shoulder": 100,
                 *         "elbow": 50,
                 *         "wrist": 10
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["GravityStartRequest"] | null;
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "Gravity control started"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is unknown, disconnected, or belongs to another machine. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    gravity_stop: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description What becomes of an arm that floated: lower = it is lowered to its rest pose and released, now = it is released and falls unless a hand has it, hold = it goes on holding. */
                release?: "lower" | "now" | "hold";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "Stopping gravity control"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is unknown. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description `release=now` is asked for by somebody who has not started it, without take_over. */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    stop: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration; left out: all arms. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The joints of the arms rest, or `status: "error"` with a message that says of which arms that was not confirmed: use the power switch then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "Stopped: leader (robot 0), follower (robot 1).",
                     *       "robots": [
                     *         0,
                     *         1
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StopResponse"];
                };
            };
            /** @description The arm is unknown. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    stop_reset: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration; left out: all arms. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says for which arms it was not confirmed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "Reset: follower (robot 1).",
                     *       "robots": [
                     *         1
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StopResponse"];
                };
            };
            /** @description The arm is unknown. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    api_stop: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration; left out: all arms. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The joints of the arms rest, or `status: "error"` with a message that says of which arms that was not confirmed: use the power switch then. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "Stopped: leader (robot 0), follower (robot 1).",
                     *       "robots": [
                     *         0,
                     *         1
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StopResponse"];
                };
            };
            /** @description The arm is unknown. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    api_stop_reset: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration; left out: all arms. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says for which arms it was not confirmed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "Reset: follower (robot 1).",
                     *       "robots": [
                     *         1
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StopResponse"];
                };
            };
            /** @description The arm is unknown. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    joints_read: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "unit": "degrees"
                 *     }
                 */
                "application/json": components["schemas"]["JointsReadRequest"] | null;
            };
        };
        responses: {
            /** @description In the unit that was asked for. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "angles": [
                     *         20,
                     *         -34.5,
                     *         41.2,
                     *         12,
                     *         -30,
                     *         5
                     *       ],
                     *       "unit": "degrees"
                     *     }
                     */
                    "application/json": components["schemas"]["JointsReadResponse"];
                };
            };
            /** @description The arm is unknown or disconnected, or has no such joint. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    joints_write: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "angles": [
                 *         20
                 *       ],
                 *       "unit": "degrees",
                 *       "joints_ids": [
                 *         0
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["JointsWriteRequest"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is unknown or disconnected, has no such joint, or cannot go there. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    torque_read: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Of each joint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "current_torque": [
                     *         0.02,
                     *         -0.61,
                     *         0.33,
                     *         0.05,
                     *         0,
                     *         0.01
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TorqueReadResponse"];
                };
            };
            /** @description The arm is unknown or disconnected. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    torque_toggle: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration; left out: all arms. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "torque_status": true
                 *     }
                 */
                "application/json": components["schemas"]["TorqueControlRequest"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is unknown or disconnected. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    voltage_read: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Of each servo. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "current_voltage": [
                     *         12.1,
                     *         12,
                     *         12,
                     *         12.1,
                     *         12.1,
                     *         12
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["VoltageReadResponse"];
                };
            };
            /** @description The arm is unknown or disconnected. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    temperature_read: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Of each servo, with its own limit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "current_max_Temperature": [
                     *         {
                     *           "current": 31,
                     *           "max": 70
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TemperatureReadResponse"];
                };
            };
            /** @description The arm is unknown or disconnected. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    temperature_write: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "maximum_temperature": [
                 *         65,
                 *         65,
                 *         65,
                 *         65,
                 *         65,
                 *         65
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["TemperatureWriteRequest"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is unknown or disconnected, or a servo cannot have such a limit. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    robot_config: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description From the arm’s data and from the registers of its servos. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "robot_id": 0,
                     *       "name": "leader",
                     *       "config": {
                     *         "name": "so101",
                     *         "servos_voltage": 12,
                     *         "servos_offsets": [
                     *           2048,
                     *           2048,
                     *           2048,
                     *           2048,
                     *           2048,
                     *           2048
                     *         ],
                     *         "servos_calibration_position": [
                     *           3072,
                     *           1024,
                     *           3072,
                     *           3072,
                     *           3072,
                     *           3186
                     *         ],
                     *         "servos_offsets_signs": [
                     *           1,
                     *           1,
                     *           1,
                     *           1,
                     *           1,
                     *           1
                     *         ],
                     *         "pid_gains": [
                     *           {
                     *             "p_gain": 32,
                     *             "i_gain": 0,
                     *             "d_gain": 32
                     *           }
                     *         ],
                     *         "gripping_threshold": 170,
                     *         "non_gripping_threshold": 100
                     *       },
                     *       "gripper_joint_index": 5,
                     *       "servo_ids": [
                     *         1,
                     *         2,
                     *         3,
                     *         4,
                     *         5,
                     *         6
                     *       ],
                     *       "resolution": 4096
                     *     }
                     */
                    "application/json": components["schemas"]["RobotConfigResponse"];
                };
            };
            /** @description The arm is unknown or disconnected. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    add_connection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "robot_name": "follower",
                 *       "connection_details": {}
                 *     }
                 */
                "application/json": components["schemas"]["RobotConnectionRequest"];
            };
        };
        responses: {
            /** @description The arm answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "Robot connection to follower added: follower, a SO-101",
                     *       "robot_id": 1
                     *     }
                     */
                    "application/json": components["schemas"]["RobotConnectionResponse"];
                };
            };
            /** @description There is no such arm, model or device, or the arm does not answer within 5 s. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    disconnect_robot: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "Robot connection to 1 removed successfully"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is unknown. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    scan_devices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order of their names. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "devices": [
                     *         {
                     *           "name": "USB Single Serial",
                     *           "device": "/dev/ttyACM0",
                     *           "serial_number": "58FA1234",
                     *           "pid": 21971,
                     *           "interface": "/dev/serial/by-id/usb-1a86_USB_Single_Serial_58FA1234-if00"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ScanDevicesResponse"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    recording_start: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "wave",
                 *       "rate": 50
                 *     }
                 */
                "application/json": components["schemas"]["RecordingStartRequest"] | null;
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "Recording of leader started",
                     *       "name": "wave",
                     *       "path": "/home/lab/.local/share/arm-bridge/recordings/wave.mcap"
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingStartResponse"];
                };
            };
            /** @description The arm is unknown, disconnected or recorded already, the name is taken, or the folder full. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    recording_stop: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "save": true
                 *     }
                 */
                "application/json": components["schemas"]["RecordingStopRequest"] | null;
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "Recording of leader stopped",
                     *       "name": "wave",
                     *       "path": "/home/lab/.local/share/arm-bridge/recordings/wave.mcap",
                     *       "samples": 150,
                     *       "duration": 3
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingStopResponse"];
                };
            };
            /** @description The arm is unknown. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    recording_play: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "wave",
                 *       "speed": 1
                 *     }
                 */
                "application/json": components["schemas"]["RecordingPlayRequest"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null,
                     *       "duration": 4.2
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingPlayResponse"];
                };
            };
            /** @description The arm is unknown or disconnected, or cannot replay this. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    setup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Adapters without an arm, models, pairs on trial, and the set-up under way. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ports": [
                     *         {
                     *           "bus": "serial:?serial=58FA0001",
                     *           "about": "/dev/ttyACM0 USB Single Serial",
                     *           "adapter": "WCH CH343",
                     *           "likely": [
                     *             "so101"
                     *           ]
                     *         }
                     *       ],
                     *       "models": [
                     *         {
                     *           "model": "so101",
                     *           "builds": [
                     *             {
                     *               "variant": "follower",
                     *               "title": "SO-101"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "no_practice": "",
                     *       "arms": [
                     *         "follower"
                     *       ],
                     *       "file": "/home/me/my.yaml",
                     *       "trials": [],
                     *       "session": {
                     *         "name": "leader",
                     *         "model": "so101",
                     *         "variant": "leader",
                     *         "role": "leader",
                     *         "bus": "serial:?serial=58FA0001",
                     *         "practice": false,
                     *         "step": "single",
                     *         "servos": [
                     *           {
                     *             "joint": "gripper",
                     *             "id": 6,
                     *             "model": "STS3215",
                     *             "part": "C046, gear 1/147",
                     *             "supplies": [
                     *               7.4,
                     *               12
                     *             ],
                     *             "due": true,
                     *             "done": false
                     *           }
                     *         ],
                     *         "instruction": "Connect only the servo for the gripper (STS3215, the one with C046, gear 1/147) to the adapter, and switch its supply on: 7.4 V or 12 V, whichever is printed on it.",
                     *         "said": "",
                     *         "fault": "",
                     *         "given": false,
                     *         "busy": false,
                     *         "counterparts": [],
                     *         "by": "page 1f3a on this computer (Firefox/140)"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SetupState"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    setup_begin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bus": null,
                 *       "model": "so101",
                 *       "role": "leader",
                 *       "name": "practice_leader"
                 *     }
                 */
                "application/json": components["schemas"]["SetupRequest"];
            };
        };
        responses: {
            /** @description The set-up as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "leader",
                     *       "model": "so101",
                     *       "variant": "leader",
                     *       "role": "leader",
                     *       "bus": "serial:?serial=58FA0001",
                     *       "practice": false,
                     *       "step": "single",
                     *       "servos": [
                     *         {
                     *           "joint": "gripper",
                     *           "id": 6,
                     *           "model": "STS3215",
                     *           "part": "C046, gear 1/147",
                     *           "supplies": [
                     *             7.4,
                     *             12
                     *           ],
                     *           "due": true,
                     *           "done": false
                     *         }
                     *       ],
                     *       "instruction": "Connect only the servo for the gripper (STS3215, the one with C046, gear 1/147) to the adapter, and switch its supply on: 7.4 V or 12 V, whichever is printed on it.",
                     *       "said": "",
                     *       "fault": "",
                     *       "given": false,
                     *       "busy": false,
                     *       "counterparts": [],
                     *       "by": "page 1f3a on this computer (Firefox/140)"
                     *     }
                     */
                    "application/json": components["schemas"]["SetupSession"];
                };
            };
            /** @description There is no such model, or the name or the bus is taken. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Another client sets an arm up, or an arm of this bridge is on the bus. */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    setup_end: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "The set-up has ended"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Another client sets an arm up, or an arm of this bridge is on the bus. */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    setup_next: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "give"
                 *     }
                 */
                "application/json": components["schemas"]["SetupStep"];
            };
        };
        responses: {
            /** @description The set-up as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "leader",
                     *       "model": "so101",
                     *       "variant": "leader",
                     *       "role": "leader",
                     *       "bus": "serial:?serial=58FA0001",
                     *       "practice": false,
                     *       "step": "single",
                     *       "servos": [
                     *         {
                     *           "joint": "gripper",
                     *           "id": 6,
                     *           "model": "STS3215",
                     *           "part": "C046, gear 1/147",
                     *           "supplies": [
                     *             7.4,
                     *             12
                     *           ],
                     *           "due": true,
                     *           "done": false
                     *         }
                     *       ],
                     *       "instruction": "Connect only the servo for the gripper (STS3215, the one with C046, gear 1/147) to the adapter, and switch its supply on: 7.4 V or 12 V, whichever is printed on it.",
                     *       "said": "",
                     *       "fault": "",
                     *       "given": false,
                     *       "busy": false,
                     *       "counterparts": [],
                     *       "by": "page 1f3a on this computer (Firefox/140)"
                     *     }
                     */
                    "application/json": components["schemas"]["SetupSession"];
                };
            };
            /** @description No arm is being set up, or the action has no meaning at its step. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Another client sets an arm up, or an arm of this bridge is on the bus. */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    setup_verdict: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "follower": "follower",
                 *       "verdict": "right"
                 *     }
                 */
                "application/json": components["schemas"]["SetupVerdict"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "follower follows at its full speed from the next start on"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description No such pair waits for a word. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    setup_hand: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "arm": "practice_leader",
                 *       "action": "plug",
                 *       "what": "gripper"
                 *     }
                 */
                "application/json": components["schemas"]["SetupHand"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "One servo is connected to the adapter."
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is none that is practised with, or has no such servo. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Another client sets an arm up, or an arm of this bridge is on the bus. */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    calibrate: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description At the last step: joints that went the other way than was said, separated by commas. */
                reversed?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What has been done, and what is to be done next. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "calibration_status": "in_progress",
                     *       "message": "The middle pose is known. Lead every joint to both of its ends, then call again.",
                     *       "current_step": 1,
                     *       "total_nb_steps": 5
                     *     }
                     */
                    "application/json": components["schemas"]["CalibrateResponse"];
                };
            };
            /** @description The arm is unknown or disconnected, or cannot be calibrated. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    calibration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Of the calibration that is under way. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "calibration_status": "in_progress",
                     *       "message": "The middle pose is known. Lead every joint to both of its ends, then call again.",
                     *       "current_step": 2,
                     *       "total_nb_steps": 5,
                     *       "joints": [
                     *         {
                     *           "name": "shoulder_pan",
                     *           "position": 0.2,
                     *           "least": -1.9,
                     *           "most": 1.1,
                     *           "range": 3.8,
                     *           "done": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CalibrationState"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no arm of this name, or it is not being calibrated. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    calibration_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "The calibration of follower has ended; its servos have what they had before"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is disconnected. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no arm of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    episode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The episode, or null. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null,
                     *       "episode": {
                     *         "name": "pick-2026-01-02T03-04-05-000Z",
                     *         "dataset": "pick",
                     *         "path": "/home/lab/.local/share/arm-bridge/recordings/pick/pick-2026-01-02T03-04-05-000Z/pick-2026-01-02T03-04-05-000Z.mcap",
                     *         "arms": [
                     *           "leader",
                     *           "follower"
                     *         ],
                     *         "task": "Put the cube into the box",
                     *         "operator": "ada",
                     *         "began": 1767323045.12,
                     *         "duration": 3.2,
                     *         "problem": null,
                     *         "silent_cameras": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EpisodeResponse"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    episode_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "dataset": "pick",
                 *       "task": "Put the cube into the box",
                 *       "operator": "ada"
                 *     }
                 */
                "application/json": components["schemas"]["EpisodeStartRequest"] | null;
            };
        };
        responses: {
            /** @description It is being recorded. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "The episode is being recorded",
                     *       "episode": {
                     *         "name": "pick-2026-01-02T03-04-05-000Z",
                     *         "dataset": "pick",
                     *         "path": "/home/lab/.local/share/arm-bridge/recordings/pick/pick-2026-01-02T03-04-05-000Z/pick-2026-01-02T03-04-05-000Z.mcap",
                     *         "arms": [
                     *           "leader",
                     *           "follower"
                     *         ],
                     *         "task": "Put the cube into the box",
                     *         "operator": "ada",
                     *         "began": 1767323045.12,
                     *         "duration": 3.2,
                     *         "problem": null,
                     *         "silent_cameras": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EpisodeResponse"];
                };
            };
            /** @description One is being recorded, an arm is disconnected, the name is taken, or there is no room. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no arm of a name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    episode_mark: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "text": "grasped"
                 *     }
                 */
                "application/json": components["schemas"]["EpisodeMarkRequest"] | null;
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "Marked"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            400: components["responses"]["Unreadable"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    episode_stop: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "verdict": "good"
                 *     }
                 */
                "application/json": components["schemas"]["EpisodeStopRequest"] | null;
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "The episode is complete",
                     *       "name": "pick-2026-01-02T03-04-05-000Z",
                     *       "path": "/home/lab/.local/share/arm-bridge/recordings/pick/pick-2026-01-02T03-04-05-000Z/pick-2026-01-02T03-04-05-000Z.mcap",
                     *       "samples": 4960,
                     *       "lost": 0,
                     *       "duration": 12.4
                     *     }
                     */
                    "application/json": components["schemas"]["EpisodeStopResponse"];
                };
            };
            400: components["responses"]["Unreadable"];
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    recordings: {
        parameters: {
            query?: {
                /** @description Most recordings in the answer. */
                limit?: number;
                /** @description Number of newer recordings to leave out: to page on, add the length of each answer. */
                offset?: number;
                /** @description Only recordings of this dataset. */
                dataset?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Recordings and room. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recordings": [
                     *         {
                     *           "name": "pick-3",
                     *           "dataset": "pick",
                     *           "content": "episode",
                     *           "bytes": 5120000,
                     *           "began": 1767323045.12,
                     *           "duration": 12.4,
                     *           "messages": 23110,
                     *           "arms": [
                     *             "leader",
                     *             "follower"
                     *           ],
                     *           "task": "Put the cube into the box",
                     *           "operator": "ada",
                     *           "verdict": "good",
                     *           "ended_early": "",
                     *           "problem": ""
                     *         }
                     *       ],
                     *       "total": 1,
                     *       "datasets": [
                     *         "pick"
                     *       ],
                     *       "folder": "/home/lab/.local/share/arm-bridge/recordings",
                     *       "used": 5121300,
                     *       "quota": 1000000000,
                     *       "free": 52000000000,
                     *       "warning": ""
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingList"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    recording: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the recording. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its facts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "pick-3",
                     *       "dataset": "pick",
                     *       "content": "episode",
                     *       "bytes": 5120000,
                     *       "began": 1767323045.12,
                     *       "duration": 12.4,
                     *       "messages": 23110,
                     *       "arms": [
                     *         "leader",
                     *         "follower"
                     *       ],
                     *       "task": "Put the cube into the box",
                     *       "operator": "ada",
                     *       "verdict": "good",
                     *       "ended_early": "",
                     *       "problem": "",
                     *       "path": "/home/lab/.local/share/arm-bridge/recordings/pick/pick-3/pick-3.mcap",
                     *       "topics": [
                     *         {
                     *           "name": "/follower/joint_states",
                     *           "type": "sensor_msgs/msg/JointState",
                     *           "messages": 2480
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingFacts"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no recording of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    recording_change: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the recording. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "verdict": "bad"
                 *     }
                 */
                "application/json": components["schemas"]["RecordingChangeRequest"];
            };
        };
        responses: {
            /** @description It is changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null,
                     *       "recording": {
                     *         "name": "pick-3",
                     *         "dataset": "pick",
                     *         "content": "episode",
                     *         "bytes": 5120000,
                     *         "began": 1767323045.12,
                     *         "duration": 12.4,
                     *         "messages": 23110,
                     *         "arms": [
                     *           "leader",
                     *           "follower"
                     *         ],
                     *         "task": "Put the cube into the box",
                     *         "operator": "ada",
                     *         "verdict": "bad",
                     *         "ended_early": "",
                     *         "problem": "",
                     *         "path": "/home/lab/.local/share/arm-bridge/recordings/pick/pick-3/pick-3.mcap",
                     *         "topics": [
                     *           {
                     *             "name": "/follower/joint_states",
                     *             "type": "sensor_msgs/msg/JointState",
                     *             "messages": 2480
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingResponse"];
                };
            };
            /** @description It is no episode or could not be saved, or the new name is taken. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no recording of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    recording_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the recording. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "It has been deleted"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description It is being recorded. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no recording of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    recording_samples: {
        parameters: {
            query?: {
                /** @description Name of the recorded arm; left out: the one that comes first. */
                source?: string;
                /** @description Seconds after the first message. */
                begin?: number;
                /** @description End of the part, in seconds after the first message; left out: the end of the recording. */
                end?: number;
                /** @description Most samples in the answer. */
                points?: number;
            };
            header?: never;
            path: {
                /** @description Name of the recording. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the joints did. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "source": "follower",
                     *       "joints": [
                     *         "shoulder_pan",
                     *         "shoulder_lift"
                     *       ],
                     *       "duration": 12.4,
                     *       "times": [
                     *         0,
                     *         6.2
                     *       ],
                     *       "positions": [
                     *         [
                     *           0.1012,
                     *           0.4034
                     *         ],
                     *         [
                     *           -0.5001,
                     *           0.1021
                     *         ]
                     *       ],
                     *       "goals": [
                     *         [
                     *           null,
                     *           0.4
                     *         ],
                     *         [
                     *           null,
                     *           0.1
                     *         ]
                     *       ],
                     *       "external": [
                     *         [
                     *           null,
                     *           0.02
                     *         ],
                     *         [
                     *           null,
                     *           0.31
                     *         ]
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingSamples"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no recording of this name, it cannot be read, or it has no such arm. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    recording_foresee: {
        parameters: {
            query?: {
                /** @description Id of the arm that would replay it. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
                /** @description The recorded arm that would be followed; left out: the one of the same name, or the first. */
                source?: string;
                /** @description Most samples in the answer. */
                points?: number;
            };
            header?: never;
            path: {
                /** @description Name of the recording. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What would be. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "source": "leader",
                     *       "duration": 12.4,
                     *       "times": [
                     *         0,
                     *         6.2
                     *       ],
                     *       "positions": [
                     *         [
                     *           0.1012,
                     *           0.4034
                     *         ],
                     *         [
                     *           -0.5001,
                     *           1.7453
                     *         ]
                     *       ],
                     *       "unreached": [
                     *         {
                     *           "begin": 6.2,
                     *           "end": 6.2,
                     *           "text": "shoulder_lift would go to 1.90 rad, beyond its limits of -1.75 to 1.75 rad"
                     *         }
                     *       ],
                     *       "refusal": "Arm follower cannot replay \"pick-3\": shoulder_lift goes to 1.801 rad after 6.02 s. Nothing has moved."
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingForeseen"];
                };
            };
            /** @description The arm is unknown or disconnected, or has no joints that were recorded. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no recording of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    recording_trim: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the recording. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "begin": 1.2,
                 *       "end": 9.5,
                 *       "name": "pick-3-short"
                 *     }
                 */
                "application/json": components["schemas"]["RecordingTrimRequest"];
            };
        };
        responses: {
            /** @description The new recording. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "pick-3-short has been made",
                     *       "recording": {
                     *         "name": "pick-3-short",
                     *         "dataset": "pick",
                     *         "content": "episode",
                     *         "bytes": 5120000,
                     *         "began": 1767323045.12,
                     *         "duration": 8.3,
                     *         "messages": 23110,
                     *         "arms": [
                     *           "leader",
                     *           "follower"
                     *         ],
                     *         "task": "Put the cube into the box",
                     *         "operator": "ada",
                     *         "verdict": "good",
                     *         "ended_early": "",
                     *         "problem": "",
                     *         "path": "/home/lab/.local/share/arm-bridge/recordings/pick/pick-3/pick-3.mcap",
                     *         "topics": [
                     *           {
                     *             "name": "/follower/joint_states",
                     *             "type": "sensor_msgs/msg/JointState",
                     *             "messages": 2480
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingResponse"];
                };
            };
            /** @description That is no part of it, the name is taken, or there is no room. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no recording of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    recording_download: {
        parameters: {
            query?: never;
            header?: {
                /** @description One range of bytes: `bytes=0-1023`, `bytes=1024-` or `bytes=-1024`. */
                Range?: string;
            };
            path: {
                /** @description Name of the recording. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    /** @description `bytes`. */
                    "Accept-Ranges"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example MCAP0 */
                    "application/octet-stream": string;
                };
            };
            /** @description The bytes asked for. */
            206: {
                headers: {
                    /** @description Which bytes of how many. */
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example MCAP0 */
                    "application/octet-stream": string;
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no recording of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The file has no such bytes. */
            416: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    recording_upload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the recording. */
                name: string;
            };
            cookie?: never;
        };
        /** @description An MCAP file. */
        requestBody: {
            content: {
                /** @example MCAP0 */
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description It can be replayed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "wave has been received",
                     *       "recording": {
                     *         "name": "wave",
                     *         "dataset": null,
                     *         "content": "joints",
                     *         "bytes": 5120000,
                     *         "began": 1767323045.12,
                     *         "duration": 12.4,
                     *         "messages": 23110,
                     *         "arms": [
                     *           "leader",
                     *           "follower"
                     *         ],
                     *         "task": "Put the cube into the box",
                     *         "operator": "ada",
                     *         "verdict": "good",
                     *         "ended_early": "",
                     *         "problem": "",
                     *         "path": "/home/lab/.local/share/arm-bridge/recordings/pick/pick-3/pick-3.mcap",
                     *         "topics": [
                     *           {
                     *             "name": "/follower/joint_states",
                     *             "type": "sensor_msgs/msg/JointState",
                     *             "messages": 2480
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RecordingResponse"];
                };
            };
            /** @description The name is taken, the file is no recording or did not arrive whole, or there is no room. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description This is no name of a recording. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The request does not say how long the file is. */
            411: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The file is too large. */
            413: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    arms: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metres, radians, seconds, Nm. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "arms": [
                     *         {
                     *           "id": 1,
                     *           "name": "follower",
                     *           "model": "so101",
                     *           "variant": "follower",
                     *           "leader": "leader",
                     *           "title": "SO-101",
                     *           "bus": "sim:so101",
                     *           "simulated": true,
                     *           "remote": false,
                     *           "base_link": "base_link",
                     *           "tool_link": "tool",
                     *           "mount": {
                     *             "xyz": [
                     *               0,
                     *               0,
                     *               0
                     *             ],
                     *             "rpy": [
                     *               0,
                     *               0,
                     *               0
                     *             ]
                     *           },
                     *           "joints": [
                     *             {
                     *               "name": "shoulder_pan",
                     *               "role": "shoulder_pan",
                     *               "lower": -1.92,
                     *               "upper": 1.92,
                     *               "velocity": 1.5,
                     *               "torque_limit": 2.9,
                     *               "unit": "rad",
                     *               "travel": [
                     *                 -1.87,
                     *                 1.87
                     *               ],
                     *               "turned": false,
                     *               "servos": [
                     *                 {
                     *                   "id": 1,
                     *                   "model": "STS3215"
                     *                 }
                     *               ]
                     *             }
                     *           ],
                     *           "gripper": {
                     *             "index": 5,
                     *             "closed": 0,
                     *             "open": 1.7
                     *           },
                     *           "poses": {
                     *             "init": [
                     *               0,
                     *               -0.52,
                     *               0.61,
                     *               0.2,
                     *               0,
                     *               0.1
                     *             ]
                     *           },
                     *           "alarms": {
                     *             "1": "supply voltage out of range"
                     *           },
                     *           "now": {
                     *             "id": 1,
                     *             "state": "ready",
                     *             "owner": null,
                     *             "owner_since": null,
                     *             "torque": true,
                     *             "failed": false,
                     *             "initialised": true,
                     *             "calibrated": true,
                     *             "outside_limits": [],
                     *             "doubt": "",
                     *             "reason": "",
                     *             "sampled": 1767323045.5,
                     *             "joints": {
                     *               "position": [
                     *                 0,
                     *                 -0.52,
                     *                 0.61,
                     *                 0.2,
                     *                 0,
                     *                 0.1
                     *               ],
                     *               "goal": [
                     *                 0,
                     *                 -0.52,
                     *                 0.6,
                     *                 0.2,
                     *                 0,
                     *                 0.1
                     *               ],
                     *               "velocity": [
                     *                 0,
                     *                 0,
                     *                 0,
                     *                 0,
                     *                 0,
                     *                 0
                     *               ],
                     *               "effort": [
                     *                 0,
                     *                 -0.6,
                     *                 0.3,
                     *                 0.1,
                     *                 0,
                     *                 0
                     *               ],
                     *               "external": [
                     *                 0,
                     *                 0.21,
                     *                 0.1,
                     *                 0.02,
                     *                 0,
                     *                 0
                     *               ],
                     *               "temperature": [
                     *                 31,
                     *                 33,
                     *                 32,
                     *                 30,
                     *                 30,
                     *                 29
                     *               ],
                     *               "voltage": [
                     *                 12,
                     *                 12,
                     *                 12,
                     *                 12,
                     *                 12,
                     *                 12
                     *               ],
                     *               "alarm": [
                     *                 0,
                     *                 0,
                     *                 0,
                     *                 0,
                     *                 0,
                     *                 0
                     *               ]
                     *             },
                     *             "tool": {
                     *               "position": [
                     *                 0.31,
                     *                 0,
                     *                 0.22
                     *               ],
                     *               "orientation": [
                     *                 0,
                     *                 0,
                     *                 0,
                     *                 1
                     *               ]
                     *             },
                     *             "wrench": {
                     *               "force": [
                     *                 0,
                     *                 0,
                     *                 0.9
                     *               ],
                     *               "moment": [
                     *                 0,
                     *                 0.01,
                     *                 0
                     *               ]
                     *             },
                     *             "opening": 0.1,
                     *             "motion": null
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ArmList"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    arm_urdf: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags of what the client has. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description XML. */
            200: {
                headers: {
                    /** @description Tag of the model. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example <robot name="so101"><link name="base_link"/></robot> */
                    "text/xml": string;
                };
            };
            /** @description The client has it already. */
            304: {
                headers: {
                    /** @description Tag of the model. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no arm of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    arm_motion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At this moment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "state": "moving",
                     *       "owner": "\"notebook\" on this computer",
                     *       "owner_since": 1767323044.2,
                     *       "motion": {
                     *         "kind": "trajectory",
                     *         "progress": 0.25
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MotionState"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no arm of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    arm_motion_cancel: {
        parameters: {
            query?: {
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
            };
            header?: never;
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "follower holds"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is disconnected. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no arm of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    arm_take_over: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "follower is yours until you release it"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is disconnected. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no arm of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The arm is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    arm_release: {
        parameters: {
            query?: {
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
            };
            header?: never;
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "follower is free"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is disconnected. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no arm of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    arm_reachable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "x": 3,
                 *       "z": -5
                 *     }
                 */
                "application/json": components["schemas"]["AbsoluteMoveRequest"];
            };
        };
        responses: {
            /** @description Whether the arm can go there, and with which joints. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "reachable": true,
                     *       "message": null,
                     *       "joints": [
                     *         0.2,
                     *         -0.5,
                     *         0.6,
                     *         0.3,
                     *         0,
                     *         0.1
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ReachableAnswer"];
                };
            };
            /** @description The arm is disconnected or not initialised. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no arm of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    arm_ask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is asked now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ask": {
                     *         "id": "rwa1c0-1",
                     *         "arm": "follower",
                     *         "asker": "\"Ben\" (page 77ab on this computer)",
                     *         "owner": "\"Ada\" (page 3f9a on this computer)",
                     *         "state": "open",
                     *         "message": "\"Ada\" (page 3f9a on this computer) is asked for follower.",
                     *         "ends": 1767323105.5
                     *       },
                     *       "message": "\"Ada\" (page 3f9a on this computer) is asked for follower."
                     *     }
                     */
                    "application/json": components["schemas"]["AskAnswer"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no arm of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Who has the arm watches no live stream, and so hears nothing (take_over takes it). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            /** @description Too many people ask for arms. */
            503: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    /** @description Ask again after this time, s. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    arm_ask_answer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
                /** @description As it was given. */
                ask: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "give": true
                 *     }
                 */
                "application/json": components["schemas"]["AskReply"];
            };
        };
        responses: {
            /** @description What has become of the ask. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ask": {
                     *         "id": "rwa1c0-1",
                     *         "arm": "follower",
                     *         "asker": "\"Ben\" (page 77ab on this computer)",
                     *         "owner": "\"Ada\" (page 3f9a on this computer)",
                     *         "state": "given",
                     *         "message": "\"Ada\" (page 3f9a on this computer) is asked for follower.",
                     *         "ends": 1767323105.5
                     *       },
                     *       "message": "\"Ada\" gives follower away: it is free."
                     *     }
                     */
                    "application/json": components["schemas"]["AskAnswer"];
                };
            };
            400: components["responses"]["Unreadable"];
            401: components["responses"]["Unauthorised"];
            /** @description Somebody else is asked. */
            403: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description There is no such arm or ask. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description The ask is over, or the arm is stopped. */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    motions: {
        parameters: {
            query?: {
                /** @description Most motions in the answer. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "motions": [
                     *         {
                     *           "id": "rwa1c0-1",
                     *           "arm": "follower",
                     *           "kind": "pose",
                     *           "state": "moving",
                     *           "progress": 0.25,
                     *           "who": "\"notebook\" on this computer",
                     *           "request_id": "mbqk2f1c-1z",
                     *           "began": 1767323045.5,
                     *           "ended": null,
                     *           "message": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MotionList"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no arm of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    motion_start: {
        parameters: {
            query?: {
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: {
                /** @description 1 to 64 letters, digits and "_.:-", new with each motion. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "joints": {
                 *         "shoulder_pan": 0.2
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MotionRequest"];
            };
        };
        responses: {
            /** @description The motion is under way. */
            202: {
                headers: {
                    /** @description Path of the motion. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rwa1c0-1",
                     *       "arm": "follower",
                     *       "kind": "pose",
                     *       "state": "moving",
                     *       "progress": 0.25,
                     *       "who": "\"notebook\" on this computer",
                     *       "request_id": "mbqk2f1c-1z",
                     *       "began": 1767323045.5,
                     *       "ended": null,
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["MotionFacts"];
                };
            };
            /** @description The arm is disconnected or not initialised, or cannot go there. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no arm of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    motion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
                /** @description As it was given. */
                motion: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At this moment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "rwa1c0-1",
                     *       "arm": "follower",
                     *       "kind": "pose",
                     *       "state": "moving",
                     *       "progress": 0.25,
                     *       "who": "\"notebook\" on this computer",
                     *       "request_id": "mbqk2f1c-1z",
                     *       "began": 1767323045.5,
                     *       "ended": null,
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["MotionFacts"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no such arm or motion. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    motion_cancel: {
        parameters: {
            query?: {
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
            };
            header?: never;
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
                /** @description As it was given. */
                motion: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "The motion is cancelled; follower holds"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no such arm or motion. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    chunk: {
        parameters: {
            query?: {
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: never;
            path: {
                /** @description Name of the arm, as in the configuration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "joints": [
                 *         "shoulder_pan",
                 *         "elbow_flex"
                 *       ],
                 *       "positions": [
                 *         [
                 *           0.02,
                 *           0.01
                 *         ],
                 *         [
                 *           0.04,
                 *           0.02
                 *         ],
                 *         [
                 *           0.05,
                 *           0.03
                 *         ]
                 *       ],
                 *       "times": [
                 *         0.1,
                 *         0.2,
                 *         0.3
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["Chunk"];
            };
        };
        responses: {
            /** @description The arm follows what is kept, or nothing of it where `motion` is null. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "motion": "rwa1c0-1",
                     *       "age": 0.25,
                     *       "kept": 42,
                     *       "skipped": 8,
                     *       "begins": 0.02,
                     *       "ends": 1.4,
                     *       "slowed": [],
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["ChunkOutcome"];
                };
            };
            /** @description The arm is disconnected or limp, has no such joint, cannot go there, or the chunk is none. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description There is no arm of this name. */
            404: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            /** @description Somebody else drives the arm (take_over takes it), or it is stopped (/stop/reset). */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state at this moment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "name": "lab-pc",
                     *       "robots": [
                     *         "so101"
                     *       ],
                     *       "robot_status": [
                     *         {
                     *           "name": "so101",
                     *           "robot_type": "manipulator",
                     *           "device_name": null,
                     *           "temperature": null
                     *         }
                     *       ],
                     *       "cameras": {
                     *         "cameras_status": [],
                     *         "is_stereo_camera_available": false,
                     *         "realsense_available": false,
                     *         "video_cameras_ids": []
                     *       },
                     *       "version_id": "0.1.0",
                     *       "is_recording": false,
                     *       "recording_warning": "",
                     *       "ai_running_status": "stopped",
                     *       "leader_follower_status": false,
                     *       "server_ip": "127.0.0.1",
                     *       "server_port": 8020,
                     *       "stop_port": 8021,
                     *       "dialect": "standard",
                     *       "arms": [
                     *         {
                     *           "id": 0,
                     *           "name": "leader",
                     *           "model": "so101",
                     *           "state": "ready",
                     *           "owner": null,
                     *           "owner_since": null,
                     *           "initialised": true,
                     *           "torque": true,
                     *           "calibrated": true,
                     *           "outside_limits": [],
                     *           "doubt": "",
                     *           "speed_scale": 1,
                     *           "reason": "",
                     *           "sample_age": 0.004,
                     *           "bus": {
                     *             "discarded": 0,
                     *             "round_trip": {
                     *               "p50": 0.0008,
                     *               "p99": 0.0011
                     *             }
                     *           },
                     *           "servos": [
                     *             {
                     *               "joint": "shoulder_pan",
                     *               "reply_age": 0.004,
                     *               "lost": 0,
                     *               "alarms": 0,
                     *               "temperature": 31,
                     *               "voltage": 12
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "mirror": {
                     *         "reason": "",
                     *         "pairs": []
                     *       },
                     *       "ros": {
                     *         "enabled": true,
                     *         "reason": "",
                     *         "distro": "jazzy",
                     *         "preparing": null
                     *       },
                     *       "loop": {
                     *         "cycles": 12000,
                     *         "rate": 200,
                     *         "late": 3,
                     *         "trouble": "",
                     *         "period": 0.005,
                     *         "longest_period": 0.0052,
                     *         "priority": null,
                     *         "periods": {
                     *           "recent": {
                     *             "p50": 0.005,
                     *             "p99": 0.0052,
                     *             "longest": 0.0061
                     *           },
                     *           "total": {
                     *             "p50": 0.005,
                     *             "p99": 0.0052,
                     *             "longest": 0.0061
                     *           }
                     *         },
                     *         "lateness": {
                     *           "recent": {
                     *             "p50": 0.005,
                     *             "p99": 0.0052,
                     *             "longest": 0.0061
                     *           },
                     *           "total": {
                     *             "p50": 0.005,
                     *             "p99": 0.0052,
                     *             "longest": 0.0061
                     *           }
                     *         },
                     *         "latency": {
                     *           "recent": {
                     *             "p50": 0.005,
                     *             "p99": 0.0052,
                     *             "longest": 0.0061
                     *           },
                     *           "total": {
                     *             "p50": 0.005,
                     *             "p99": 0.0052,
                     *             "longest": 0.0061
                     *           }
                     *         },
                     *         "period_histogram": {
                     *           "width": 0.00025,
                     *           "counts": [
                     *             0,
                     *             1990,
                     *             10
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["BridgeStatus"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The control loop runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            /** @description The control loop does not run. */
            503: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    /** @description Ask again after this time, s. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "error",
                     *       "message": "The control loop does not run."
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
        };
    };
    readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All arms are connected; the message says whether ROS 2 is off. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            /** @description Some arm is disconnected, or ROS 2 is demanded and off. */
            503: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    /** @description Ask again after this time, s. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "error",
                     *       "message": "1 of 2 arms are disconnected."
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Text format 0.0.4. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example # HELP arm_bridge_loop_cycles_total Cycles of the control loop.
                     *     # TYPE arm_bridge_loop_cycles_total counter
                     *     arm_bridge_loop_cycles_total 12000
                     */
                    "text/plain": string;
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    events: {
        parameters: {
            query?: {
                /** @description Name of the arm; left out: all arms. */
                arm?: string;
                /** @description Kind of the actions; left out: all kinds. */
                act?: "motion" | "torque" | "halt" | "stop" | "reset" | "ask" | "take_over" | "release" | "mirroring" | "calibration" | "configuration" | "recording" | "simulation";
                /** @description Only entries that began at this time or later, seconds since the epoch. */
                since?: number;
                /** @description Only entries with a smaller `id`. */
                before?: number;
                /** @description Most entries in the answer; it has fewer if they would not fit into 64 kB. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "id": 17,
                     *           "time": 1767323045.5,
                     *           "act": "motion",
                     *           "arm": "follower",
                     *           "who": "\"notebook\" on this computer",
                     *           "origin": "this computer",
                     *           "what": "POST /move/absolute",
                     *           "request_id": "mbqk2f1c-1z",
                     *           "taken_from": null,
                     *           "outcome": "done",
                     *           "message": null,
                     *           "ended": 1767323047.4,
                     *           "count": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["EventList"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    pairs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At this moment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "active": true,
                     *       "reason": "",
                     *       "pairs": [
                     *         {
                     *           "leader": "leader",
                     *           "follower": "follower",
                     *           "state": "mirroring",
                     *           "owner": "an HTTP client",
                     *           "owner_since": 1785240000.25,
                     *           "rate": 200,
                     *           "latency": 0.0012,
                     *           "force_feedback": {
                     *             "arm": 0.8,
                     *             "gripper": 1
                     *           },
                     *           "reason": ""
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PairList"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    config: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With its defaults, without secrets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "http": {
                     *         "host": "127.0.0.1",
                     *         "port": 8020
                     *       },
                     *       "control": {
                     *         "rate": 200
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ConfigAnswer"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    log: {
        parameters: {
            query?: {
                /** @description Number of the oldest line wanted. */
                start?: number;
                /** @description Only lines with a smaller number: pass `first` of the last answer to go back. */
                before?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lines, the oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "next": 2,
                     *       "first": 1,
                     *       "lines": [
                     *         {
                     *           "time": 1767323045,
                     *           "level": "info",
                     *           "message": "follower is ready"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["LogAnswer"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    bridge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At this moment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0b7c2f6e-6a0e-4a57-9d5f-3f1f0a8a9e11",
                     *       "name": "bench-1",
                     *       "version": "0.1.0",
                     *       "stop_port": 8021,
                     *       "trouble": "",
                     *       "ros": {
                     *         "reason": "",
                     *         "graph": {
                     *           "domain": 0,
                     *           "namespace": "/",
                     *           "commands": true,
                     *           "network": true
                     *         }
                     *       },
                     *       "pairs": [
                     *         {
                     *           "leader": "leader",
                     *           "follower": "follower",
                     *           "state": "mirroring",
                     *           "reason": ""
                     *         }
                     *       ],
                     *       "arms": [
                     *         {
                     *           "name": "follower",
                     *           "model": "so101",
                     *           "variant": "follower",
                     *           "title": "SO-101",
                     *           "simulated": false,
                     *           "remote": false,
                     *           "state": "ready",
                     *           "torque": true,
                     *           "owner": "\"notebook\" on this computer",
                     *           "owner_since": 1767323044.2,
                     *           "reason": "",
                     *           "doubt": ""
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BridgeOverview"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    bridges: {
        parameters: {
            query?: {
                /** @description Number of other bridges to leave out: to page on, add the length of `others` of each answer. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As they were heard last. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "here": {
                     *         "id": "0b7c2f6e-6a0e-4a57-9d5f-3f1f0a8a9e11",
                     *         "name": "bench-1",
                     *         "version": "0.1.0",
                     *         "stop_port": 8021,
                     *         "trouble": "",
                     *         "ros": {
                     *           "reason": "",
                     *           "graph": {
                     *             "domain": 0,
                     *             "namespace": "/",
                     *             "commands": true,
                     *             "network": true
                     *           }
                     *         },
                     *         "pairs": [
                     *           {
                     *             "leader": "leader",
                     *             "follower": "follower",
                     *             "state": "mirroring",
                     *             "reason": ""
                     *           }
                     *         ],
                     *         "arms": [
                     *           {
                     *             "name": "follower",
                     *             "model": "so101",
                     *             "variant": "follower",
                     *             "title": "SO-101",
                     *             "simulated": false,
                     *             "remote": false,
                     *             "state": "ready",
                     *             "torque": true,
                     *             "owner": "\"notebook\" on this computer",
                     *             "owner_since": 1767323044.2,
                     *             "reason": "",
                     *             "doubt": ""
                     *           }
                     *         ]
                     *       },
                     *       "others": [
                     *         {
                     *           "url": "https://bench-2.lab:8020",
                     *           "configured": true,
                     *           "state": "silent",
                     *           "reason": "nothing listens there: start its bridge",
                     *           "seen": 1767323031.5,
                     *           "bridge": null
                     *         }
                     *       ],
                     *       "total": 1
                     *     }
                     */
                    "application/json": components["schemas"]["BridgesAnswer"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    bridges_stop: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Which bridges have confirmed it; `status: "error"` where one has not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "error",
                     *       "message": "Stopped: bench-1. Not stopped: bench-2.",
                     *       "bridges": [
                     *         {
                     *           "name": "bench-1",
                     *           "url": null,
                     *           "stopped": true,
                     *           "message": "Stopped: leader (robot 0), follower (robot 1)."
                     *         },
                     *         {
                     *           "name": "bench-2",
                     *           "url": "https://bench-2.lab:8020",
                     *           "stopped": false,
                     *           "message": "Not stopped: nothing listens there: start its bridge. Use its power switch."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BridgesStopAnswer"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    bridges_targets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Targets with their labels. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "targets": [
                     *           "bench-2.lab:8020"
                     *         ],
                     *         "labels": {
                     *           "__scheme__": "https",
                     *           "bridge": "bench-2"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["MonitoringTargets"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    pairs_start: {
        parameters: {
            query?: {
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "leader": "leader",
                 *       "follower": "follower"
                 *     }
                 */
                "application/json": components["schemas"]["PairStartRequest"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "leader leads follower."
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The pair cannot be set up, an arm is unknown or mirrors already, or nothing is heard of the arm of another machine. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives one of the arms. */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    pairs_end: {
        parameters: {
            query?: {
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "follower": "follower"
                 *     }
                 */
                "application/json": components["schemas"]["PairEndRequest"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "The pair has ended: its follower holds."
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is unknown. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    bridges_pairs_start: {
        parameters: {
            query?: {
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
                /** @description Move it although it has no calibration, or joints beyond their limits: at no more than 0.3 rad/s. */
                uncalibrated?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "leader": {
                 *         "arm": "leader"
                 *       },
                 *       "follower": {
                 *         "arm": "follower"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["BridgesPairStartRequest"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "leader of bench-1 leads follower of bench-2."
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The pair cannot be set up: the words are those of the bridge that refuses it. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            /** @description Somebody else drives one of the arms. */
            409: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPError"];
                    /**
                     * @example {
                     *       "type": "urn:arm-bridge:problem:owned",
                     *       "title": "Conflict",
                     *       "status": 409,
                     *       "detail": "Arm follower is driven by mirroring, since 09:41:07 UTC. Wait until it has ended, or take it with ?take_over=true.",
                     *       "message": "Arm follower is driven by mirroring, since 09:41:07 UTC.",
                     *       "code": "owned",
                     *       "remedy": "take_over",
                     *       "request_id": "req-1f"
                     *     }
                     */
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            /** @description One of the bridges does not answer. */
            503: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    /** @description Ask again after this time, s. */
                    "Retry-After"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
        };
    };
    bridges_pairs_end: {
        parameters: {
            query?: {
                /** @description Take the arm from whoever drives it. */
                take_over?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "follower": "follower"
                 *     }
                 */
                "application/json": components["schemas"]["BridgesPairEndRequest"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "The pair has ended: its follower holds."
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm or the bridge is unknown, or the bridge refuses. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    live: {
        parameters: {
            query?: {
                /** @description Of arms, objects, pairs, loop, log, events and asks, separated by commas; left out: all. */
                topics?: [
                ] | [
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks"
                ] | [
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks"
                ] | [
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks"
                ] | [
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks"
                ] | [
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks"
                ] | [
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks",
                    "arms" | "objects" | "pairs" | "loop" | "log" | "events" | "asks"
                ];
                /** @description Frames of arms, and of objects that move, per second; the others come at most 5 times a second. */
                rate?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An event for each frame, named after its type. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: pairs
                     *     data: {"type":"pairs","t":1767323045.5,"active":false,"reason":"","pairs":[]}
                     */
                    "text/event-stream": components["schemas"]["LiveEvent"];
                };
            };
            /** @description Earlier requests on the same connection are not answered yet. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    session_open: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["SessionRequest"] | null;
            };
        };
        responses: {
            /** @description The answer sets the cookie, where a token is needed at all. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "scopes": [
                     *         "read",
                     *         "control"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionAnswer"];
                };
            };
            400: components["responses"]["Unreadable"];
            /** @description The token is missing or wrong. */
            401: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    /** @description The scheme, Bearer. */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    session_close: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": "The session has ended"
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    invitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Never the token that moves arms. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "origin": "https://192.168.7.2:8020",
                     *       "token": "a-token-that-may-only-look"
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    sim_hand: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "robot_id": 0,
                 *       "joints": {
                 *         "shoulder_pan": 0.6
                 *       },
                 *       "duration": 2
                 *     }
                 */
                "application/json": components["schemas"]["HandRequest"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is unknown or no simulated one. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    sim_truth: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Radians and metres. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "robot_id": 0,
                     *       "name": "leader",
                     *       "joints": {
                     *         "shoulder_pan": 0.25
                     *       },
                     *       "tool": {
                     *         "position": {
                     *           "x": 0.31,
                     *           "y": 0,
                     *           "z": 0.22
                     *         },
                     *         "orientation": {
                     *           "x": 0,
                     *           "y": 0,
                     *           "z": 0,
                     *           "w": 1
                     *         }
                     *       },
                     *       "time": 1767323045.5
                     *     }
                     */
                    "application/json": components["schemas"]["SimulationTruth"];
                };
            };
            /** @description The arm is unknown or no simulated one. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    sim_objects: {
        parameters: {
            query?: {
                /** @description Id of the arm, as in the configuration. */
                robot_id?: number;
                /** @description Name of the arm; it counts in place of robot_id. */
                arm?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metres, kilograms and newtons, in the base frame of the arm. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "robot_id": 1,
                     *       "name": "follower",
                     *       "objects": [
                     *         {
                     *           "name": "cube",
                     *           "colour": "#d6453d",
                     *           "mass": 0.02,
                     *           "parts": [
                     *             {
                     *               "kind": "box",
                     *               "size": [
                     *                 0.028,
                     *                 0.028,
                     *                 0.028
                     *               ],
                     *               "at": [
                     *                 0,
                     *                 0,
                     *                 0
                     *               ]
                     *             }
                     *           ],
                     *           "position": {
                     *             "x": 0.22,
                     *             "y": 0.05,
                     *             "z": 0.097
                     *           },
                     *           "orientation": {
                     *             "x": 0,
                     *             "y": 0,
                     *             "z": 0,
                     *             "w": 1
                     *           },
                     *           "touches": [
                     *             {
                     *               "by": "jaw",
                     *               "force": 4.4
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SimObjects"];
                };
            };
            /** @description The arm is unknown or no simulated one. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    sim_objects_move: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "robot_id": 1,
                 *       "name": "cube",
                 *       "position": {
                 *         "x": 0.2,
                 *         "y": 0.1,
                 *         "z": 0.03
                 *       },
                 *       "duration": 1
                 *     }
                 */
                "application/json": components["schemas"]["ObjectMove"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is unknown or no simulated one, or no such object that moves stands before it. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
    sim_objects_reset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "robot_id": 1
                 *     }
                 */
                "application/json": components["schemas"]["ObjectReset"];
            };
        };
        responses: {
            /** @description Done, or `status: "error"` with a message that says why not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "message": null
                     *     }
                     */
                    "application/json": components["schemas"]["StatusResponse"];
                };
            };
            /** @description The arm is unknown or no simulated one. */
            400: {
                headers: {
                    /** @description By which the log and /api/v1/events know this request. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HTTPError"];
                    "application/problem+json": components["schemas"]["ProblemDetails"];
                };
            };
            401: components["responses"]["Unauthorised"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["Compressed"];
            417: components["responses"]["Unexpected"];
            422: components["responses"]["Invalid"];
            429: components["responses"]["TooMany"];
            500: components["responses"]["Fault"];
            503: components["responses"]["Unavailable"];
        };
    };
}
